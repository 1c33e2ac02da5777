/** Breaks long lines at spaces; quoted lines and words without spaces stay whole. */
export function wrapLines(text: string, at: number): string {
  if (at <= 0) return text;
  return text
    .split('\n')
    .map((line) => (line.length <= at || line.startsWith('>') ? line : wrapLine(line, at)))
    .join('\n');
}

function wrapLine(line: string, at: number): string {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > at) {
      lines.push(current);
      current = word;
    } else current = lines.length === 0 && current === '' ? word : `${current}${current === '' ? '' : ' '}${word}`;
  }
  return [...lines, current].join('\n');
}
