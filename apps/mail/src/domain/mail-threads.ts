import type { UidThread } from '@groupware/mail-access';

/** Headers that threads are made of. */
export interface ThreadedMail {
  readonly messageId?: string;
  /** Ids of the mails that it answers, oldest first: of References, else that of In-Reply-To. */
  readonly references: readonly string[];
}

/** Most references of one mail that count: the nearest. */
const MAX_REFERENCES = 100;

/** Reads message ids of headers References and In-Reply-To. */
export const parseReferences = (...headers: readonly (string | undefined)[]): string[] =>
  headers.flatMap((header) => header?.match(/<[^<>\s]{1,998}>/g) ?? []).slice(-MAX_REFERENCES);

/**
 * Groups mails into conversations by their references, in the order of the first mail of each. Loops and references to itself
 * do no harm: groups are all that is made. Of mails with the same Message-ID the first one has it, the others have none, as servers
 * do it (RFC 5256, section 3, REFERENCES).
 */
export function groupByReferences<T extends ThreadedMail>(mails: readonly T[]): T[][] {
  const parent = new Map<string, string>();
  const rootOf = (id: string): string => {
    let root = id;
    while (parent.get(root) !== undefined && parent.get(root) !== root) root = parent.get(root)!;
    for (let step = id; step !== root;) {
      const next = parent.get(step)!;
      parent.set(step, root);
      step = next;
    }
    return root;
  };
  const taken = new Set<string>();
  const keys = mails.map(({ messageId, references }, index) => {
    const isFirst = messageId !== undefined && !taken.has(messageId);
    if (isFirst) taken.add(messageId);
    const key = isFirst ? messageId : `\n${index}`;
    for (const reference of references) {
      const [one, other] = [rootOf(key), rootOf(reference)];
      if (one !== other) parent.set(one, other);
    }
    return key;
  });
  const groups = new Map<string, T[]>();
  mails.forEach((mail, index) => {
    const root = rootOf(keys[index]!);
    const group = groups.get(root);
    if (group) group.push(mail);
    else groups.set(root, [mail]);
  });
  return [...groups.values()];
}

/** The mails of a thread with their depths, answers behind what they answer. */
export function flattenThread(thread: UidThread): { readonly uid: number; readonly level: number }[] {
  const found: { uid: number; level: number }[] = [];
  const open = [{ thread, level: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { uid, children } = next.thread;
    if (uid > 0) found.push({ uid, level: next.level });
    const level = uid > 0 ? next.level + 1 : next.level;
    for (const child of [...children].reverse()) open.push({ thread: child, level });
  }
  return found;
}
