import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { ReadableStream } from 'node:stream/web';
import { Worker } from 'node:worker_threads';
import {
  createMessage,
  encrypt,
  readKey,
  readPrivateKey,
  sign,
  type Key,
  type PrivateKey,
  type PublicKey,
  type WebStream,
} from 'openpgp';

/** Header lines of a key, such as `Comment: …`. The library takes long for thousands of them; programs write a few. */
const HEADER_LINE = /^[^\n:]{1,64}: /gm;
const MOST_HEADER_LINES = 50;

/** A recipient's key that can be encrypted to now; undefined for anything else. */
export async function readEncryptionKey(armoured: string, now: number): Promise<PublicKey | undefined> {
  if ((armoured.match(HEADER_LINE)?.length ?? 0) > MOST_HEADER_LINES) return undefined;
  try {
    const key: Key = await readKey({ armoredKey: armoured });
    const date = new Date(now);
    await key.verifyPrimaryKey(date);
    await key.getEncryptionKey(undefined, date);
    return key.toPublic();
  } catch {
    return undefined;
  }
}

/** Script of the thread that unlocks a key. */
const UNLOCK = `
const { parentPort, workerData } = require('node:worker_threads');
const { decryptKey, readPrivateKey } = require(workerData.library);
readPrivateKey({ armoredKey: workerData.armoredKey })
  .then((privateKey) => decryptKey({ privateKey, passphrase: workerData.passphrase }))
  .then((key) => parentPort.postMessage(key.armor()));
`;

/** Unlocks a key in a thread: a passphrase is made to take long, up to half a second, which would hold the event loop. */
async function unlockKey(armoredKey: string, passphrase: string): Promise<PrivateKey> {
  const workerData = { library: require.resolve('openpgp'), armoredKey, passphrase };
  const [unlocked] = (await once(new Worker(UNLOCK, { eval: true, workerData }), 'message')) as [string];
  return readPrivateKey({ armoredKey: unlocked });
}

/** The private key of a file, unlocked. @throws when it cannot be read, unlocked or used to sign */
export async function readSigningKey(file: string, password: string, now: number): Promise<PrivateKey> {
  const armoredKey = await readFile(file, 'utf8');
  const locked = await readPrivateKey({ armoredKey });
  const key = locked.isDecrypted() ? locked : await unlockKey(armoredKey, password);
  await key.getSigningKey(undefined, new Date(now));
  return key;
}

/** A detached signature over an entity, ASCII-armoured. */
export async function createDetachedSignature(entity: AsyncIterable<string>, key: PrivateKey): Promise<string> {
  const message = await createMessage({ binary: toStream(entity) });
  const armoured = (await sign({ message, signingKeys: key, detached: true, format: 'armored' })) as Text;
  let text = '';
  for await (const piece of toChunks(armoured)) text += piece;
  return text;
}

/** An entity encrypted for a recipient, and signed where a key is given; ASCII-armoured, piece by piece. */
export async function encryptEntity(
  entity: AsyncIterable<string>,
  recipient: PublicKey,
  key: PrivateKey | undefined,
): Promise<AsyncIterable<string>> {
  const message = await createMessage({ binary: toStream(entity) });
  return toChunks(
    (await encrypt({
      message,
      encryptionKeys: recipient,
      ...(key ? { signingKeys: key } : {}),
      format: 'armored',
    })) as Text,
  );
}

type Text = string | WebStream<string>;

function toStream(entity: AsyncIterable<string>): WebStream<Uint8Array> {
  const pieces = entity[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const next = await pieces.next();
        if (next.done) controller.close();
        else controller.enqueue(encoder.encode(next.value));
      },
      cancel: async () => {
        await pieces.return?.();
      },
    },
    { highWaterMark: 1 },
  );
}

async function* toChunks(text: Text): AsyncGenerator<string> {
  if (typeof text === 'string') yield text;
  else yield* text;
}
