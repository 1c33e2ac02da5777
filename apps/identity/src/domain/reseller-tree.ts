/** What the tree needs to know of a reseller. */
export interface ResellerNode {
  readonly name: string;
  readonly parent: string | null;
}

/** Resellers with those above and below them. */
export class ResellerTree<N extends ResellerNode> {
  private readonly nodes: ReadonlyMap<string, N>;
  private readonly children = new Map<string, N[]>();

  constructor(nodes: Iterable<N>) {
    this.nodes = new Map([...nodes].map((node) => [node.name, node]));
    for (const node of this.nodes.values())
      if (node.parent !== null) this.children.set(node.parent, [...(this.children.get(node.parent) ?? []), node]);
  }

  /** The reseller of a name, or undefined. */
  get(name: string): N | undefined {
    return this.nodes.get(name);
  }

  /** Those whose parent it is. */
  childrenOf(name: string): readonly N[] {
    return this.children.get(name) ?? [];
  }

  /** The reseller, its parent, and so on to the top; empty for an unknown name. */
  chainOf(name: string): N[] {
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
  subtreeOf(name: string): string[] {
    if (!this.nodes.has(name)) return [];
    const found = new Set([name]);
    // A set grows while it is walked: its new members are walked, too.
    for (const each of found) for (const child of this.childrenOf(each)) found.add(child.name);
    return [...found];
  }

  /** True when the parent would be the reseller itself or one below it. */
  wouldCircle(name: string, parent: string): boolean {
    return name === parent || this.chainOf(parent).some((node) => node.name === name);
  }
}
