/** The guest a token of a share names. */
export interface TokenGuest {
  readonly contextId: number;
  readonly guestId: number;
}

const DIGITS = 8;
/** Offset of the random part: context and guest stand before it, masked with its first and second digits. */
const RANDOM_AT = 2 * DIGITS;

const masked = (value: number, mask: string): string =>
  ((value ^ Number.parseInt(mask, 16)) >>> 0).toString(16).padStart(DIGITS, '0');

/** The token of a guest: 48 hex digits. @param random 32 hex digits */
export const shareToken = ({ contextId, guestId }: TokenGuest, random: string): string =>
  masked(contextId, random.slice(0, DIGITS)) + masked(guestId, random.slice(DIGITS, RANDOM_AT)) + random;

/** Context and guest in the token of a share; undefined for a text that is none. Says nothing about whether they exist. */
export function guestOfToken(token: string): TokenGuest | undefined {
  if (!/^[0-9a-f]{48}$/.test(token)) return undefined;
  const part = (at: number): number => Number.parseInt(token.slice(at, at + DIGITS), 16);
  const contextId = (part(0) ^ part(RANDOM_AT)) >>> 0;
  const guestId = (part(DIGITS) ^ part(RANDOM_AT + DIGITS)) >>> 0;
  return contextId > 0 && contextId < 2 ** 31 && guestId < 2 ** 31 ? { contextId, guestId } : undefined;
}

/** A folder, or an object of a module, that a link leads to. */
export interface SharePlace {
  readonly folder: number;
  /** Number of the object. */
  readonly item?: number;
}

/** Address of a share, with the pin of a link, as models of the API have them. */
export interface SharedAddress {
  readonly share_url: string;
  readonly password?: string;
}

/** The address of a share beside its pin, where it has one that can be shown. */
export const toSharedAddress = (url: string, password: string | undefined): SharedAddress => ({
  share_url: url,
  ...(password === undefined ? {} : { password }),
});

/** Names the host by which guests come. @param guestHost the one that is set for them; empty: that of the request */
export const toGuestEdge = <T extends { readonly host: string }>(edge: T, guestHost: string): T =>
  guestHost ? { ...edge, host: guestHost } : edge;

/** Builds the address of a share. @param basePath first base path of the server */
export const shareAddress = (
  { secure, host }: { readonly secure: boolean; readonly host: string },
  basePath: string,
  token: string,
  place: SharePlace,
): string => `${secure ? 'https' : 'http'}://${host}${basePath}/share/${token}/${sharePath(place)}`;

/** Tells objects from folders, whose ids are smaller. */
const ITEM_BIT = 2 ** 31;

/** The part of a link that tells which of the shares of a guest it is about: 8 hex digits. */
export const sharePath = ({ folder, item }: SharePlace): string =>
  (item === undefined ? folder : item + ITEM_BIT).toString(16).padStart(DIGITS, '0');
