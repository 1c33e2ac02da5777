/** Parses `<user id>@<context id>`; undefined for any other text. */
export function readUserName(text: unknown): { contextId: number; userId: number } | undefined {
  const match = /^([1-9]\d{0,9})@([1-9]\d{0,9})$/.exec(typeof text === 'string' ? text : '');
  if (!match) return undefined;
  const [userId, contextId] = [Number(match[1]), Number(match[2])];
  return userId < 2 ** 31 && contextId < 2 ** 31 ? { contextId, userId } : undefined;
}
