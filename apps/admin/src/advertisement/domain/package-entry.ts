/** One element of a reseller's configuration: the JSON text of a package, or null to remove it. */
export type PackageEntry = { readonly package: string; readonly config: string | null } | { readonly error: string };

/** Most characters of the name of a package. */
const MAX_NAME = 256;

/** Reads one element `{package, config}`; what is wrong with it becomes its own outcome. */
export function parsePackageEntry(element: unknown, maxBytes: number): PackageEntry {
  if (typeof element !== 'object' || element === null || Array.isArray(element))
    return { error: 'The element is no object.' };
  const { package: name, config } = element as { package?: unknown; config?: unknown };
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME)
    return { error: `The element has no package of 1 to ${MAX_NAME} characters.` };
  if (config === undefined) return { error: 'The element has no config.' };
  if (config === null) return { package: name, config: null };
  const text = JSON.stringify(config);
  if (Buffer.byteLength(text) > maxBytes) return { error: `The config is larger than ${maxBytes} bytes.` };
  return { package: name, config: text };
}
