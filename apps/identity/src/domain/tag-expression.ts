/** Syntax error in a tag expression; the message names the position. */
class TagSyntaxError extends Error {}

/** Whether a set of tags satisfies an expression. */
export type TagExpression = (tags: ReadonlySet<string>) => boolean;

const TOKEN = /\s*(?:([|&!()])|"([^"]*)"|([^\s|&!()"]+))/y;

/**
 * Parses an expression over tags: `premium | (trial & !expired)`. `!` binds closest, then `&`, then `|`. A tag with
 * blanks or signs stands in quotation marks. Case is ignored.
 * @throws TagSyntaxError with the position
 */
export function parseTagExpression(text: string): TagExpression {
  let at = 0;
  let token: { sign?: string; tag?: string } | undefined;

  const fail = (wanted: string): never => {
    // eslint-disable-next-line groupware/no-stray-errors -- becomes a problem of the file, never the error of a call
    throw new TagSyntaxError(`${wanted} expected at character ${at + 1} of ${JSON.stringify(text)}`);
  };
  const next = (): void => {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) {
      if (text.slice(at).trim() !== '') fail('a tag or sign');
      token = undefined;
      return;
    }
    at = TOKEN.lastIndex;
    token = match[1] === undefined ? { tag: (match[2] ?? match[3]!).toLowerCase() } : { sign: match[1] };
  };
  const chain = (sign: string, inner: () => TagExpression, join: (parts: TagExpression[]) => TagExpression) => {
    const parts = [inner()];
    while (token?.sign === sign) {
      next();
      parts.push(inner());
    }
    return parts.length === 1 ? parts[0]! : join(parts);
  };
  const either = (): TagExpression => chain('|', both, (parts) => (tags) => parts.some((part) => part(tags)));
  const both = (): TagExpression => chain('&', single, (parts) => (tags) => parts.every((part) => part(tags)));
  const single = (): TagExpression => {
    const current = token;
    if (current?.tag !== undefined) {
      next();
      const { tag } = current;
      return (tags) => tags.has(tag);
    }
    if (current?.sign === '!') {
      next();
      const inner = single();
      return (tags) => !inner(tags);
    }
    if (current?.sign === '(') {
      next();
      const inner = either();
      if (token?.sign !== ')') fail(')');
      next();
      return inner;
    }
    return fail('a tag');
  };

  next();
  const whole = either();
  if (token) fail('the end');
  return whole;
}
