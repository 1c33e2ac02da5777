// eslint-disable-next-line no-control-regex -- these are what it is about
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** The code point, such as U+0007, of a control character that no text may hold: all but tab, line feed and carriage return. */
export function findControlCharacter(text: string): string | undefined {
  const code = CONTROL.exec(text)?.[0].codePointAt(0);
  return code === undefined ? undefined : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
