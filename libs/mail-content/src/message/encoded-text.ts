import type { EncodedText } from '../worker/content-task';
import { markupOf } from './body-selection';
import type { MessagePart } from './part-source';

/** The text of a part as threads read it: its bytes with what its header says of them. */
export function toEncodedText(part: MessagePart, bytes: Uint8Array): EncodedText {
  const { charset, format, delsp } = part.parameters;
  const markup = markupOf(part);
  return {
    bytes,
    ...(charset === undefined ? {} : { charset }),
    flowed: format?.toLowerCase() === 'flowed',
    delSp: delsp?.toLowerCase() === 'yes',
    ...(markup ? { markup } : {}),
  };
}
