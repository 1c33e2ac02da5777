import path from 'node:path';
import { openApiDocument, type ApiKind } from '@groupware/contracts';
import express, { type Router } from 'express';
import helmet from 'helmet';

/** Options of the explorer page. */
export interface ExplorerOptions {
  /** Base paths of the module calls without trailing slash; calls of the page use the first. */
  readonly basePaths: readonly string[];
  readonly version: string;
  /** The listener the page is served from: calls go to the same one. */
  readonly listener: 'public' | 'internal';
}

/** Beside the compiled code as beside the sources. */
const ASSETS = path.join(__dirname, '..', '..', 'assets', 'explorer');
const TITLES: Readonly<Record<ApiKind, string>> = { client: 'Client API', admin: 'Administrative REST API' };
const UI_FILES =
  /^\/(swagger-ui\.css|swagger-ui-bundle\.js|swagger-ui-standalone-preset\.js|favicon-(?:16x16|32x32)\.png)$/;

/**
 * The API explorer below `/docs`: the client API, on the internal listener the administrative one, too, a form to log in, and
 * every operation to try. Everything comes from this
 * server; the policy lets the page load nothing else and run no script of its own text.
 */
export function explorerRouter(options: ExplorerOptions): Router {
  const router = express.Router();
  router.use(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          scriptSrc: ["'self'"],
          // The page's components set styles on elements; no style can run a script.
          styleSrc: ["'self'", "'unsafe-inline'"],
          imgSrc: ["'self'", 'data:'],
          connectSrc: ["'self'"],
          formAction: ["'self'"],
          frameAncestors: ["'none'"],
          baseUri: ["'none'"],
        },
      },
      // Installations without TLS would lock themselves out.
      strictTransportSecurity: false,
      crossOriginOpenerPolicy: false,
      originAgentCluster: false,
    }),
  );

  // Operations of operators are not shown where they cannot be called.
  const kinds: ApiKind[] = options.listener === 'public' ? ['client'] : ['admin', 'client'];
  const servers: Record<ApiKind, string[]> = {
    client: options.basePaths.map((base) => base || '/'),
    admin: ['/'],
  };
  const documents = new Map<string, string>();
  const documentOf = (kind: ApiKind): string => {
    const text =
      documents.get(kind) ??
      JSON.stringify(openApiDocument(kind, { version: options.version, servers: servers[kind] }));
    documents.set(kind, text);
    return text;
  };

  router.get('/', (request, response) => {
    // Relative addresses of the page need the slash.
    if (!request.originalUrl.split('?')[0]!.endsWith('/')) return response.redirect(308, `${request.baseUrl}/`);
    return response.sendFile('index.html', { root: ASSETS });
  });
  router.get(['/explorer.js', '/explorer.css'], (request, response) =>
    response.sendFile(request.path.slice(1), { root: ASSETS }),
  );
  router.get('/settings.json', (_request, response) => {
    response.json({
      basePath: options.basePaths[0] ?? '',
      withLogin: options.listener === 'public',
      documents: kinds.map((kind) => ({ name: TITLES[kind], url: `openapi/${kind}.json` })),
    });
  });
  router.get('/openapi/:kind.json', (request, response, next) => {
    const kind = kinds.find((each) => each === request.params.kind);
    if (!kind) return next();
    return response.type('json').send(documentOf(kind));
  });
  const ui = path.dirname(require.resolve('swagger-ui-dist/package.json'));
  router.use('/ui', (request, response, next) => {
    if (!UI_FILES.test(request.path)) return next();
    return response.sendFile(request.path.slice(1), { root: ui, maxAge: 3_600_000 });
  });
  return router;
}
