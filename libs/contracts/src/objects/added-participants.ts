/** A person by mail address. */
export interface AddedPerson {
  /** As it was written. */
  readonly address: string;
  readonly name?: string;
}

/** Users and others whom a user made take part in an object: contacts with these addresses were used. */
export interface AddedParticipants {
  readonly userId: number;
  /** Without the user, members of groups only where they are named themselves. */
  readonly people: readonly AddedPerson[];
}
