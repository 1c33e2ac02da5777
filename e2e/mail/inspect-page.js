// Runs in the page of a browser: tells what a mail shown there must not be or do.
window.inspectMail = () => {
  const problems = [];
  const pane = document.querySelector('#mail') ?? document.body;
  if (window.__ran) problems.push('something ran');
  const forbidden =
    'script,iframe,frame,object,embed,svg,math,form,input,button,select,textarea,link,base,template,video,audio,dialog';
  for (const element of pane.querySelectorAll('*')) {
    if (element.matches(forbidden) || element.namespaceURI !== 'http://www.w3.org/1999/xhtml')
      problems.push(`element ${element.localName}`);
    for (const { name, value } of element.attributes) {
      if (/^on|srcset|action|ping|srcdoc|poster/.test(name)) problems.push(`attribute ${name}`);
      const url = [...value].filter((character) => character > ' ').join('');
      if (/^(?:javascript|vbscript|data:text|blob|file):/i.test(url)) problems.push(`${name}=${value}`);
    }
    if (!['static', 'relative'].includes(window.getComputedStyle(element).position))
      problems.push(`position of ${element.localName}`);
  }
  if (pane.id === 'mail') problems.push(...inspectClient(pane));
  return problems;
};

// The client's tools, the space beside the mail and below it are still the client's.
function inspectClient(pane) {
  const problems = [];
  const tools = document.querySelector('.toolbar');
  if (
    window.getComputedStyle(tools).display === 'none' ||
    window.getComputedStyle(document.body).visibility === 'hidden'
  )
    problems.push('the page was changed');
  for (const [x, y] of [
    [10, 10],
    [100, 200],
    [900, 20],
    [400, 520],
  ]) {
    const top = document.elementFromPoint(x, y);
    if (top && pane.contains(top)) problems.push(`covers ${x},${y}`);
  }
  if (document.querySelector('body > div:not(#client):not(#mail)')) problems.push('left its place');
  if (document.getElementById('client') !== tools) problems.push('took a name');
  return problems;
}

// Shows a mail in the client's page and follows its links as far as a click can run something.
window.showMail = (html) => {
  document.querySelector('#mail').innerHTML = html;
  document.addEventListener('click', (event) => event.preventDefault());
  document.querySelectorAll('#mail a, #mail area').forEach((element) => element.click());
  return new Promise((resolve) => window.requestAnimationFrame(() => setTimeout(resolve, 5)));
};
