// Who answers the page: the server that sent it, which the key of the address tells that it is its own page.
const key = new URLSearchParams(location.search).get("key") || sessionStorage.getItem("key") || "";
sessionStorage.setItem("key", key);
history.replaceState(null, "", "/" + location.hash);  // the key is for this page, not for who sees its address

const gone = "kport lab does not answer: it has ended, or hangs. Start `kport lab` again, and open the address that it prints";
/// A run may take its time, but meanwhile kport lab must say what goes on when it is asked.
const silence = {most: 5000, times: 0, timesMost: 4, waiting: new Set()};

async function posted(path, body) {
  const ends = new AbortController(), isRun = path === "/answer", timer = isRun ? 0 : setTimeout(() => ends.abort(), silence.most);
  if (isRun) silence.waiting.add(ends);
  let reply = null, told = null;
  try {
    reply = await fetch(path, {method: "POST", signal: ends.signal, headers: {"Content-Type": "application/json", "X-Kport-Key": key}, body: JSON.stringify(body)});
    told = await reply.json();
    silence.times = 0;
  } catch {
    if (!isRun && ++silence.times >= silence.timesMost) for (const run of silence.waiting) run.abort();
    throw new Error(gone);
  } finally { clearTimeout(timer); silence.waiting.delete(ends); }
  if (!reply.ok) throw Object.assign(new Error(told.error), {busy: reply.status === 409});
  return told;
}
