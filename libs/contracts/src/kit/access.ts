/**
 * A right that an operation needs of its caller. The few functions that check it say so by {@link recordCheck}, so that a handler
 * that never asked is found out.
 */
export interface AccessRight {
  /** Object and right: `appointment.read`. */
  readonly name: string;
  /** A reply needs all rights of its operation, a commit those to write. */
  readonly kind: 'read' | 'write';
  /** When the caller has it, for reviewers. */
  readonly doc: string;
}

/** Requirements of an operation on its callers beyond being one of them. */
export interface Access {
  /** Each of them is checked before a reply. */
  readonly rights: readonly AccessRight[];
  /** Why no right is needed, where there is none. */
  readonly reason?: string;
  /** The access is still to be decided: such an operation never succeeds. */
  readonly isUndecided?: boolean;
}

/** Declares a right to read. */
export const readRight = (doc: string): Omit<AccessRight, 'name'> => ({ kind: 'read', doc });

/** Declares a right to write: without its check nothing is committed. */
export const writeRight = (doc: string): Omit<AccessRight, 'name'> => ({ kind: 'write', doc });

/** Declares the rights on a kind of objects. */
export function defineRights<T extends Record<string, Omit<AccessRight, 'name'>>>(
  object: string,
  rights: T,
): { readonly [K in keyof T]: AccessRight } {
  const named = Object.entries(rights).map(([name, right]) => [name, { name: `${object}.${name}`, ...right }]);
  return Object.fromEntries(named) as { readonly [K in keyof T]: AccessRight };
}

/** Access for callers with these rights on what they ask for. */
export const requireRights = (...rights: readonly [AccessRight, ...AccessRight[]]): Access => ({ rights });

/** Access for all callers: no object is reached that belongs to others. @param reason why that is so, for reviewers */
export const allowCallers = (reason: string): Access => ({ rights: [], reason });

/** Access that is still to be decided. */
export const UNDECIDED: Access = { rights: [], isUndecided: true };

/** A call was about to be answered, or to write, without a check that its operation declares. */
export class UncheckedAccess extends Error {}

/** Records which rights are checked while a call is answered. */
export class AccessRecord {
  private readonly settled = new Set<AccessRight>();

  constructor(
    private readonly subject: string,
    private readonly access: Access,
  ) {}

  /** Whether calls of an operation need a record: nothing can be missed otherwise. */
  static isNeeded({ rights, isUndecided }: Access): boolean {
    return rights.length > 0 || isUndecided === true;
  }

  add(right: AccessRight): void {
    this.settled.add(right);
  }

  /** Settles everything: what is answered was checked when it was done for the first time. */
  addAll(): void {
    for (const right of this.access.rights) this.settled.add(right);
  }

  /** Refuses to go on while a right to write is unchecked. @throws {@link UncheckedAccess} */
  requireWriteChecks(): void {
    this.requireSettled(this.access.rights.filter(({ kind }) => kind === 'write'));
  }

  /** Refuses to reply while any right is unchecked. @throws {@link UncheckedAccess} */
  requireChecks(): void {
    this.requireSettled(this.access.rights);
  }

  private requireSettled(rights: readonly AccessRight[]): void {
    if (this.access.isUndecided) throw new UncheckedAccess(`${this.subject}: nobody has decided who has access`);
    const missing = rights.filter((right) => !this.settled.has(right));
    if (missing.length === 0) return;
    throw new UncheckedAccess(`${this.subject} never checked ${missing.map(({ name }) => name).join(', ')}`);
  }
}

let findRecord: () => AccessRecord | undefined = () => undefined;

/** Tells where the record of the call under way is found. */
export function setAccessRecords(find: () => AccessRecord | undefined): void {
  findRecord = find;
}

/** The record of the call under way, where its operation needs one. */
export const currentAccessRecord = (): AccessRecord | undefined => findRecord();

/** Records that a right was checked; for the functions that check it, whatever the outcome. */
export function recordCheck(right: AccessRight): void {
  findRecord()?.add(right);
}

/** Records that a call came to nothing that a right protects. @param _reason why, for reviewers */
export function waiveCheck(right: AccessRight, _reason: string): void {
  findRecord()?.add(right);
}
