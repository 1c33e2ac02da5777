/** A member of a group of people. */
export interface CardMember {
  readonly mail: string;
  readonly displayName?: string;
}

/** A picture as a card holds it. */
export interface CardPhoto {
  readonly bytes: Uint8Array;
}

/** Those parts of a contact that a vCard carries. */
export interface CardContact {
  /** Texts by the name of their field in the API; absent where there is none. */
  readonly texts: Readonly<Record<string, string>>;
  /** ms UTC at midnight. */
  readonly birthday?: number;
  /** ms UTC at midnight. */
  readonly anniversary?: number;
  /** 0 to 10. */
  readonly color?: number;
  readonly isPrivate: boolean;
  /** Present for distribution lists. */
  readonly members?: readonly CardMember[];
  /** Undefined: unknown or left as it is. */
  readonly photo?: CardPhoto | null;
}
