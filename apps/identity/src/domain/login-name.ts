/** A login as people type it, in its two parts. */
export interface LoginName {
  readonly user: string;
  /** Lower case. */
  readonly mapping: string;
}

/** Splits `name@mapping` at the last @; a bare name belongs to the default mapping. */
export function splitLogin(text: string, defaultMapping: string): LoginName {
  const trimmed = text.trim();
  const at = trimmed.lastIndexOf('@');
  if (at < 0) return { user: trimmed, mapping: defaultMapping.toLowerCase() };
  return { user: trimmed.slice(0, at), mapping: trimmed.slice(at + 1).toLowerCase() };
}
