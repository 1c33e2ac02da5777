import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** So long may a pattern of an operator look at texts, ms: some patterns would take years for some texts. */
const SEARCH_MS = 250;
/** A busy machine may take the time away from the first look. */
const LOOKS = 2;
/** Memory of the thread, MB: a pattern may need much, too. */
const MAX_HEAP_MB = 32;

/**
 * Script of the thread. An invalid pattern allows everything: it must not prevent users from changing their passwords.
 */
const PROGRAM = `
const { parentPort } = require('node:worker_threads');
const search = ({ pattern, texts }) => {
  let expression;
  try {
    expression = new RegExp(pattern, 'u');
  } catch {
    return 0;
  }
  return texts.findIndex((text) => expression.test(text));
};
parentPort.on('message', (question) => parentPort.postMessage(search(question)));
`;

let thread: Promise<Worker> | undefined;
let last: Promise<unknown> = Promise.resolve();

/**
 * The first of some texts that a pattern matches; -1 for none, or when finding out takes too long. The search runs in a thread,
 * one after the other: no expression holds the event loop, and one that goes through all ways to fail can be ended.
 */
export function findMatching(texts: readonly string[], pattern: string): Promise<number> {
  const search = last.then(async () => {
    for (let look = 0; look < LOOKS; look++) {
      const found = await lookOnce(texts, pattern);
      if (found !== undefined) return found;
    }
    return -1;
  });
  last = search.catch(() => undefined);
  return search;
}

async function lookOnce(texts: readonly string[], pattern: string): Promise<number | undefined> {
  const worker = await (thread ??= startThread());
  worker.postMessage({ pattern, texts });
  try {
    const [found] = (await once(worker, 'message', { signal: AbortSignal.timeout(SEARCH_MS) })) as [number];
    return found;
  } catch {
    thread = undefined;
    await worker.terminate();
    return undefined;
  }
}

async function startThread(): Promise<Worker> {
  const worker = new Worker(PROGRAM, { eval: true, resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB } });
  await once(worker, 'online');
  // Failures reach the waiting caller; an idle thread does not keep the process alive.
  worker.on('error', () => undefined).unref();
  return worker;
}
