# Writes the page of kport lab, with kport in it, as one file: OUT from PAGE (a folder with page.html, page.css, page.js), HERE and MODULE.
execute_process(COMMAND gzip -9 -n -c ${MODULE} COMMAND base64 -w 0 OUTPUT_VARIABLE module COMMAND_ERROR_IS_FATAL ANY)
foreach(part html css js)
  file(READ ${PAGE}/page.${part} ${part})
endforeach()
file(READ ${HERE}/page/asked.js asked)
file(READ ${HERE}/page/worker.js worker)
string(REPLACE "<link rel=\"stylesheet\" href=\"/page.css\">" "<style>${css}</style>" html "${html}")
string(REPLACE "const $ = id => document.getElementById(id);\n" "" js "${js}")
string(REPLACE "<script src=\"/page.js\"></script>" "<script type=\"text/plain\" id=\"worker\">${worker}</script>
<script type=\"text/plain\" id=\"module\">${module}</script>
<script>
const $ = id => document.getElementById(id);
${asked}${js}</script>" html "${html}")
file(WRITE ${OUT} "${html}")
