/** A person by mail address. */
export interface AddedPerson {
  /** As it was written. */
  readonly address: string;
  readonly name?: string;
}

/** People whom a user made take part in an object, or whose mail the user read. */
export interface AddedParticipants {
  readonly userId: number;
  /** Without the user, members of groups only where they are named themselves. */
  readonly people: readonly AddedPerson[];
}
