import { setLogDestination } from '@groupware/service-kit';

/** Shorter texts occur by chance. */
const SHORTEST = 10;
/** Lines are searched and forgotten when there are so many characters. */
const SEARCHED_AT = 8_000_000;

const known = new Set<string>();
let lines: string[] = [];
let size = 0;
const found = new Set<string>();

/** Notes a secret that no log may hold from now on: passwords, ids of sessions, values of cookies, tokens. */
export function keepOutOfLogs(...secrets: readonly (string | undefined)[]): void {
  for (const secret of secrets) if (secret !== undefined && secret.length >= SHORTEST) known.add(secret);
}

/** Collects what the services of this process log; a spec that sends the log elsewhere searches it itself. */
export function watchLogs(): void {
  setLogDestination({
    write: (line) => {
      lines.push(line);
      size += line.length;
      if (size > SEARCHED_AT) search();
    },
  });
}

function search(): void {
  const text = lines.join('');
  lines = [];
  size = 0;
  for (const secret of known) {
    const at = text.indexOf(secret);
    if (at < 0) continue;
    const start = text.lastIndexOf('\n', at) + 1;
    found.add(text.slice(start, Math.min(text.indexOf('\n', at), start + 1000)).replaceAll(secret, '(SECRET)'));
  }
}

/** Fails when the log of a run holds a secret that was used in it. */
export function expectNoSecretInLogs(): void {
  search();
  const offending = [...found];
  found.clear();
  known.clear();
  if (offending.length > 0) throw new Error(`secrets in the log:\n${offending.join('\n')}`);
}
