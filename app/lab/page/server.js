// Who answers the page: the server that sent it, which the key of the address tells that it is its own page.
const key = new URLSearchParams(location.search).get("key") || sessionStorage.getItem("key") || "";
sessionStorage.setItem("key", key);
history.replaceState(null, "", "/" + location.hash);  // the key is for this page, not for who sees its address

async function posted(path, body) {
  const reply = await fetch(path, {method: "POST", headers: {"Content-Type": "application/json", "X-Kport-Key": key}, body: JSON.stringify(body)});
  const told = await reply.json();
  if (!reply.ok) throw Object.assign(new Error(told.error), {busy: reply.status === 409});
  return told;
}
