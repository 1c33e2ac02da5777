/** Joins the lines of a text of `format=flowed` (RFC 3676 §4): a line that ends in a space goes on in the next of its quote depth. */
export function joinFlowedLines(text: string, delSp = false): string {
  const joined: string[] = [];
  let depth = 0;
  let isOpen = false;
  for (const line of text.split('\n')) {
    const marks = /^>*/.exec(line)![0].length;
    // A space is stuffed before lines that begin with one, with `>` or with `From `.
    const content = line.slice(marks).replace(/^ /, '');
    const isSignature = content === '-- ';
    if (isOpen && marks === depth && !isSignature) joined.push(joined.pop()! + content);
    else joined.push(marks > 0 ? `${'>'.repeat(marks)} ${content}` : content);
    depth = marks;
    isOpen = content.endsWith(' ') && !isSignature;
    if (isOpen && delSp) joined.push(joined.pop()!.slice(0, -1));
  }
  return joined.join('\n');
}
