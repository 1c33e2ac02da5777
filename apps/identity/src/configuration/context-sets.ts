import { BadSettings, ConfigurationFiles } from '@groupware/service-kit';
import { readContextSets, type ContextSet } from './context-set-file';

/** Maximum number of cached tag combinations. */
const MAX_REMEMBERED = 1_000;

/** Values that the operator set for groups of contexts, chosen by their tags. */
export class ContextSets {
  private sets: readonly ContextSet[] = [];
  private readonly remembered = new Map<string, Readonly<Record<string, string>>>();

  /** @param onChange called after the sets were reloaded */
  private constructor(private readonly changed: () => void | Promise<void>) {}

  /**
   * Reads the sets and follows their files.
   * @throws BadSettings when the first reading finds problems
   */
  static open(
    places: readonly string[],
    files: ConfigurationFiles,
    changed: () => void | Promise<void> = () => {},
  ): ContextSets {
    const opened = new ContextSets(changed);
    let current = readContextSets(places);
    if (current.problems.length > 0) throw new BadSettings(current.problems);
    opened.sets = current.sets;
    if (places.length > 0)
      files.watch({
        name: 'context sets',
        files: () => current.files,
        read: async () => {
          const next = readContextSets(places);
          if (next.problems.length > 0) return next.problems;
          current = next;
          opened.sets = next.sets;
          opened.remembered.clear();
          await opened.changed();
          return [];
        },
      });
    return opened;
  }

  /** True without sets: tags need not be read then. */
  get isEmpty(): boolean {
    return this.sets.length === 0;
  }

  /** The values of all sets that the tags satisfy; later sets override earlier ones. */
  resolveValues(tags: ReadonlySet<string>): Readonly<Record<string, string>> {
    if (this.sets.length === 0) return {};
    const key = [...tags].sort().join('\n');
    const known = this.remembered.get(key);
    if (known) return known;
    const values = Object.assign({}, ...this.sets.filter((set) => set.holds(tags)).map((set) => set.values)) as Record<
      string,
      string
    >;
    if (this.remembered.size >= MAX_REMEMBERED) this.remembered.clear();
    this.remembered.set(key, values);
    return values;
  }
}

/** Properties that tags are derived from. */
export interface TagSource {
  readonly contextId: number;
  readonly name: string;
  readonly taxonomyTypes: readonly string[];
  /** Module access of the user; empty for the context itself. */
  readonly flags: readonly string[];
}

/** Tags of a context or user: taxonomy types, name and id of the context, module access as `webmail` and `ucWebmail`. */
export const toTags = ({ contextId, name, taxonomyTypes, flags }: TagSource): ReadonlySet<string> =>
  new Set(
    [...taxonomyTypes, name, String(contextId), ...flags, ...flags.map((flag) => `uc${flag}`)].map((tag) =>
      tag.toLowerCase(),
    ),
  );
