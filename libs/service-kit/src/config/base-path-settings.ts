import { Setting } from './setting';

/** Base paths of the client API on the public listener. */
export class BasePathSettings {
  @Setting({
    env: 'BASE_PATH',
    doc: 'Base paths of the module calls, a comma list such as /appsuite/api,/ajax; the first one stands in the addresses of pictures and links that answers give',
  })
  basePath = '/';

  /** The paths without slash at their ends, each once; the root is the empty text. */
  basePaths(): string[] {
    const paths = this.basePath.split(',').map((path) =>
      path
        .trim()
        .replace(/^\/*/, '/')
        .replace(/(?<!\/)\/+$/, ''),
    );
    return [...new Set(paths)];
  }
}
