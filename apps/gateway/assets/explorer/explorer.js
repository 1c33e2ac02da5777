/* global SwaggerUIBundle, SwaggerUIStandalonePreset */
// The explorer page: shows the documents of both APIs, keeps one session and adds it to every call of a module.
'use strict';

(async () => {
  const settings = await (await fetch('settings.json')).json();
  const form = document.getElementById('login');
  const state = document.getElementById('state');
  const logout = document.getElementById('logout');
  const basePath = settings.basePath;
  let session;

  const moduleUrl = (call) => `${basePath}/${call}`;

  function show(text, isOpen) {
    state.textContent = text;
    logout.hidden = !isOpen;
  }

  function authorize() {
    if (session) ui.preauthorizeApiKey('session', session);
  }

  // The session goes into the URL of every module call; the secret cookie is the browser's business.
  function addSession(request) {
    const url = new URL(request.url, location.href);
    const isCall = url.origin === location.origin && !url.pathname.startsWith('/docs/');
    if (session && isCall && settings.withLogin && !url.searchParams.has('session')) {
      url.searchParams.set('session', session);
      request.url = url.href;
    }
    return request;
  }

  const ui = SwaggerUIBundle({
    dom_id: '#explorer',
    urls: settings.documents,
    presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
    layout: 'StandaloneLayout',
    deepLinking: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: 0,
    filter: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    validatorUrl: null,
    withCredentials: true,
    requestInterceptor: addSession,
    onComplete: authorize,
  });
  window.ui = ui;

  if (!settings.withLogin) {
    form.dataset.hidden = '';
    return;
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const fields = new FormData(form);
    show('logging in …', false);
    try {
      const response = await fetch(moduleUrl('login?action=login'), {
        method: 'POST',
        body: new URLSearchParams({ name: fields.get('name'), password: fields.get('password'), client: 'explorer' }),
      });
      const answer = await response.json();
      if (!answer.session) throw new Error(answer.error ?? answer.error_desc ?? `HTTP ${response.status}`);
      session = answer.session;
      form.elements.password.value = '';
      show(`logged in as ${answer.user}, context ${answer.context_id}`, true);
      authorize();
    } catch (error) {
      show(`login failed: ${error.message}`, false);
    }
  });

  logout.addEventListener('click', async () => {
    await fetch(moduleUrl(`login?action=logout&session=${encodeURIComponent(session)}`));
    session = undefined;
    ui.authActions.logout(['session']);
    show('not logged in', false);
  });
})();
