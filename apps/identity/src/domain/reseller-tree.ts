import { groupBy } from '@groupware/contracts';

/** A node of the reseller tree. */
export interface ResellerNode {
  readonly name: string;
  readonly parent: string | null;
}

/** Hierarchy of resellers. */
export class ResellerTree<N extends ResellerNode> {
  private readonly nodes: ReadonlyMap<string, N>;
  private readonly children: ReadonlyMap<string | null, N[]>;

  constructor(nodes: Iterable<N>) {
    this.nodes = new Map([...nodes].map((node) => [node.name, node]));
    this.children = groupBy(this.nodes.values(), ({ parent }) => parent);
  }

  /** Finds a reseller by name. */
  findReseller(name: string): N | undefined {
    return this.nodes.get(name);
  }

  /** Lists direct children. */
  listChildren(name: string): readonly N[] {
    return this.children.get(name) ?? [];
  }

  /** Lists the reseller and its ancestors up to the root; empty for an unknown name. */
  listChain(name: string): N[] {
    const chain: N[] = [];
    for (
      let node = this.nodes.get(name);
      node && !chain.includes(node);
      node = node.parent === null ? undefined : this.nodes.get(node.parent)
    )
      chain.push(node);
    return chain;
  }

  /** Names of the reseller and of all below it. */
  listSubtreeNames(name: string): string[] {
    if (!this.nodes.has(name)) return [];
    const found = new Set([name]);
    // Iteration over a Set visits members added meanwhile.
    for (const each of found) for (const child of this.listChildren(each)) found.add(child.name);
    return [...found];
  }

  /** True when the new parent is the reseller itself or a descendant. */
  wouldCreateCycle(name: string, parent: string): boolean {
    return name === parent || this.listChain(parent).some((node) => node.name === name);
  }
}
