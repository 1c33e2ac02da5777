import { readFile } from 'node:fs/promises';
import { ReadableStream } from 'node:stream/web';
import {
  createMessage,
  decryptKey,
  encrypt,
  readKey,
  readPrivateKey,
  sign,
  type Key,
  type PrivateKey,
  type PublicKey,
  type WebStream,
} from 'openpgp';

/** A recipient's key that can be encrypted to now; undefined for anything else. */
export async function encryptionKey(armoured: string, now: number): Promise<PublicKey | undefined> {
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

/** The private key of a file, unlocked. @throws when it cannot be read, unlocked or used to sign */
export async function signingKey(file: string, password: string, now: number): Promise<PrivateKey> {
  const locked = await readPrivateKey({ armoredKey: await readFile(file, 'utf8') });
  const key = locked.isDecrypted() ? locked : await decryptKey({ privateKey: locked, passphrase: password });
  await key.getSigningKey(undefined, new Date(now));
  return key;
}

/** A detached signature over an entity, ASCII-armoured. */
export async function detachedSignature(entity: AsyncIterable<string>, key: PrivateKey): Promise<string> {
  const message = await createMessage({ binary: streamOf(entity) });
  const armoured = (await sign({ message, signingKeys: key, detached: true, format: 'armored' })) as Text;
  let text = '';
  for await (const piece of piecesOf(armoured)) text += piece;
  return text;
}

/** An entity encrypted for a recipient, and signed where a key is given; ASCII-armoured, piece by piece. */
export async function encrypted(
  entity: AsyncIterable<string>,
  recipient: PublicKey,
  key: PrivateKey | undefined,
): Promise<AsyncIterable<string>> {
  const message = await createMessage({ binary: streamOf(entity) });
  return piecesOf(
    (await encrypt({
      message,
      encryptionKeys: recipient,
      ...(key ? { signingKeys: key } : {}),
      format: 'armored',
    })) as Text,
  );
}

type Text = string | WebStream<string>;

function streamOf(entity: AsyncIterable<string>): WebStream<Uint8Array> {
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
  ) as unknown as WebStream<Uint8Array>;
}

async function* piecesOf(text: Text): AsyncGenerator<string> {
  if (typeof text === 'string') yield text;
  else yield* text as unknown as AsyncIterable<string>;
}
