import { LINE_END } from './writer';

/** The comment above a rule, `## Flag: vacation|UniqueId:1|Rulename: Away`. */
export interface RuleMark {
  readonly flags: readonly string[];
  readonly id: number;
  readonly name: string;
}

const MARK = /^##\s*Flag:([^|]*)\|\s*UniqueId:\s*(\d{1,9})\s*\|\s*Rulename:[ \t]?([^]*)$/i;
const BEGINNING = /^##\s*Flag:/i;
/** Stands before each line of a rule that is not active. */
export const INACTIVE = '#<!-->';

/** Whether a comment wants to be a mark. */
export const isMark = (comment: string): boolean => BEGINNING.test(comment);

/** Reads a mark; undefined for a damaged one. */
export function readMark(comment: string): RuleMark | undefined {
  const found = MARK.exec(comment);
  if (!found) return undefined;
  const [, flags = '', id = '', name = ''] = found;
  return {
    flags: flags
      .split(',')
      .map((flag) => flag.trim())
      .filter(Boolean),
    id: Number(id),
    name: name.trimEnd(),
  };
}

/** Writes a mark. @param mark without line breaks, and without `|` and `,` in flags */
export const writeMark = ({ flags, id, name }: RuleMark): string =>
  `## Flag: ${flags.join(',')}|UniqueId:${id}|Rulename: ${name}${LINE_END}`;

/** The lines of a rule that is not active. */
export const disable = (text: string): string => text.replace(/(^|\n)(?=[^])/g, `$1${INACTIVE}`);

/** Restores the text that {@link disable} was given. */
export const enable = (text: string): string => text.replace(/(^|\n)#<!-->/g, '$1');
