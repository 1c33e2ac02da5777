import type { RawAnswer } from '../edge/ports';

/** True for an answer that arrived in one piece. */
export const isBytes = (body: RawAnswer['body']): body is Uint8Array => body instanceof Uint8Array;

/** Collects an answer that arrived in pieces. */
export async function wholeBody(body: RawAnswer['body']): Promise<Uint8Array> {
  if (isBytes(body)) return body;
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}
