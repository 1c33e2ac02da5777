/** A login name split into user and mapping. */
export interface LoginName {
  readonly user: string;
  /** Lower case. */
  readonly mapping: string;
}

/** Splits `name@mapping` at the last @; a bare name belongs to the default mapping. */
export function parseLoginName(text: string, defaultMapping: string): LoginName {
  const trimmed = text.trim();
  const at = trimmed.lastIndexOf('@');
  if (at < 0) return { user: trimmed, mapping: defaultMapping.toLowerCase() };
  return { user: trimmed.slice(0, at), mapping: trimmed.slice(at + 1).toLowerCase() };
}
