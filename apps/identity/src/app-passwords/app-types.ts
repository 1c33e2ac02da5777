/** A kind of application that passwords can be made for. */
export interface AppType {
  readonly name: string;
  readonly displayName: string;
  readonly scopes: readonly string[];
}

/** Reads `name=title|scope scope;…`; entries without name or scopes are left out. */
export function parseAppTypes(text: string): AppType[] {
  return text.split(';').flatMap((entry) => {
    const match = /^\s*([\w.-]+)\s*=([^|]*)\|(.*)$/.exec(entry);
    const scopes = (match?.[3] ?? '').split(/[\s,]+/).filter((scope) => scope !== '');
    return match && scopes.length > 0 ? [{ name: match[1]!, displayName: match[2]!.trim() || match[1]!, scopes }] : [];
  });
}
