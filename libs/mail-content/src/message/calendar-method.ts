import type { MessagePart, PartSource } from './part-source';
import { readPartBegin } from './part-begin';

/** The properties of a calendar stand before its components (RFC 5545, section 3.6): so many bytes hold them. */
const BEGIN_BYTES = 2_048;
const METHOD = /^[\w-]{1,40}$/;

/** Reads the method of a calendar from its first lines; undefined when they have none. */
export async function findCalendarMethod(source: PartSource, part: MessagePart): Promise<string | undefined> {
  const { bytes } = await readPartBegin(source, part, BEGIN_BYTES);
  return readMethod(bytes.toString('latin1'));
}

/** A method as it is told; undefined for what is none. */
export const normalizeMethod = (method: string | undefined): string | undefined =>
  method !== undefined && METHOD.test(method) ? method.toUpperCase() : undefined;

function readMethod(begin: string): string | undefined {
  // Long lines are folded (RFC 5545, section 3.1).
  for (const line of begin.replace(/\r?\n[\t ]/g, '').split(/\r?\n/)) {
    if (/^BEGIN:(?!VCALENDAR)/i.test(line)) return undefined;
    const method = /^METHOD(?:;[^:]*)?:(.*)$/i.exec(line)?.[1];
    if (method !== undefined) return normalizeMethod(method.trim());
  }
  return undefined;
}
