import ts from 'typescript';

/**
 * TypeScript text that can be extended at places which the compiler's own parser finds. Layout is left to Prettier.
 */
export class SourceText {
  #text;

  /** @param {string} text */
  constructor(text) {
    this.#text = text;
  }

  toString() {
    return this.#text;
  }

  get #tree() {
    return ts.createSourceFile('source.ts', this.#text, ts.ScriptTarget.Latest, true);
  }

  #splice(at, text) {
    this.#text = this.#text.slice(0, at) + text + this.#text.slice(at);
  }

  /**
   * Calls `callee(name, {…})` or `callee({…})` that are the value of a constant.
   * @param {string} callee such as `defineModule`
   * @returns {{ constant: string, name: string | undefined, keys: string[], text: string }[]} text: of the whole call
   */
  calls(callee) {
    return this.#calls(callee).map(({ constant, name, call, literal }) => ({
      constant,
      name,
      keys: literal.properties.map((property) => property.name?.text).filter((key) => key !== undefined),
      text: call.getText(),
    }));
  }

  #calls(callee) {
    const found = [];
    for (const statement of this.#tree.statements)
      for (const declaration of ts.isVariableStatement(statement) ? statement.declarationList.declarations : []) {
        const call = declaration.initializer;
        if (!call || !ts.isCallExpression(call) || call.expression.getText() !== callee) continue;
        const name = call.arguments.find(ts.isStringLiteral)?.text;
        const literal = call.arguments.find(ts.isObjectLiteralExpression);
        if (literal) found.push({ constant: declaration.name.getText(), name, call, literal, statement });
      }
    return found;
  }

  /** Adds a property to the object that a constant's call takes. */
  addToCall(callee, constant, property) {
    const { literal } = this.#calls(callee).find((each) => each.constant === constant);
    this.#addTo(literal, property);
  }

  /** Adds a property to the object that is the value of a constant. */
  addToConstant(constant, property) {
    const declaration = this.#tree.statements
      .filter(ts.isVariableStatement)
      .flatMap((statement) => statement.declarationList.declarations)
      .find(({ name }) => name.getText() === constant);
    this.#addTo(declaration.initializer, property);
  }

  #addTo(literal, property) {
    const last = literal.properties.at(-1);
    if (!last) this.#splice(literal.getEnd() - 1, property);
    else if (literal.properties.hasTrailingComma) this.#splice(literal.properties.end, `\n${property},`);
    else this.#splice(last.getEnd(), `,\n${property}`);
  }

  /** Adds statements in front of the one that declares a constant, above its comment. */
  addBefore(constant, text) {
    const statement = this.#tree.statements.find(
      (each) =>
        ts.isVariableStatement(each) &&
        each.declarationList.declarations.some(({ name }) => name.getText() === constant),
    );
    this.#splice(statement.getFullStart(), `\n\n${text}\n`);
  }

  /** Makes sure that names are imported from a module. */
  addImport(from, names) {
    const known = this.#imports().find(({ moduleSpecifier }) => moduleSpecifier.text === from);
    const bindings = known?.importClause?.namedBindings;
    if (!bindings || !ts.isNamedImports(bindings)) {
      this.#splice(0, `import { ${names.join(', ')} } from '${from}';\n`);
      return;
    }
    const present = bindings.elements.map((element) => element.name.text);
    const missing = names.filter((name) => !present.includes(name));
    if (missing.length) this.#splice(bindings.elements.at(-1).getEnd(), `, ${missing.join(', ')}`);
  }

  /** Adds an import after those that import a whole module under one name. */
  addWholeImport(from, name) {
    const whole = this.#imports().filter(({ importClause }) =>
      importClause?.namedBindings ? ts.isNamespaceImport(importClause.namedBindings) : false,
    );
    this.#splice(whole.at(-1).getEnd(), `\nimport * as ${name} from '${from}';`);
  }

  #imports() {
    return this.#tree.statements.filter(ts.isImportDeclaration);
  }

  /** Adds an element to the first list that has `neighbour` as an element. */
  addToListOf(neighbour, element) {
    const visit = (node) =>
      ts.isArrayLiteralExpression(node) && node.elements.some((each) => each.getText() === neighbour)
        ? node
        : ts.forEachChild(node, visit);
    const list = visit(this.#tree);
    this.#splice(list.elements.at(-1).getEnd(), `, ${element}`);
  }
}
