import path from 'node:path';
import ts from 'typescript';

// Finds declared parameters and body fields that no code reads. What an operation's handler reaches is followed through
// functions, methods and calls of other modules; a field counts as read where its declaration is read, where a structural
// type takes it under the same name, or where the whole object goes somewhere that cannot be followed.

const isModelFile = (file) => /\/libs\/contracts\/src\//.test(file);
const isSource = (file) =>
  /\/(apps|libs)\/[^/]+\/src\//.test(file) && !/\.spec\.ts$|\/testing\/|\/libs\/test-kit\//.test(file);
const isFollowed = ({ isDeclarationFile, fileName }) => !isDeclarationFile && isSource(fileName);

/**
 * @typedef {{ operation: string, field: string }} UnreadInput `operation` is `<module>.<key>`, `field` a parameter or a path in the body
 * @param {string} root the checkout
 * @returns {UnreadInput[]} sorted
 */
export function unreadInputs(root) {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: ({ messageText }) => raise(messageText) };
  const { fileNames, options } = ts.getParsedCommandLineOfConfigFile(path.join(root, 'tsconfig.json'), {}, host);
  const program = ts.createProgram(fileNames.filter(isSource), options);
  const graph = new CallGraph(program);
  return graph.handlers
    .flatMap((handler) => graph.unreadBy(handler))
    .sort((a, b) => key(a).localeCompare(key(b), 'en'));
}

const raise = (message) => {
  throw new Error(String(message));
};
const key = ({ operation, field }) => `${operation} ${field}`;

/** How handlers of modules that own folders name their contract. */
const FOLDER_OWNER = 'contract.';

/** Code that runs as a whole: a function, a method, the value of a constant or of a property. */
const isUnit = (node) =>
  ts.isFunctionDeclaration(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isConstructorDeclaration(node) ||
  ts.isAccessor(node) ||
  ts.isPropertyDeclaration(node) ||
  (ts.isVariableDeclaration(node) && ts.isSourceFile(node.parent.parent.parent)) ||
  isOperation(node);

/** `name: action({…})` within `defineModule`. */
const isOperation = (node) =>
  ts.isPropertyAssignment(node) &&
  ts.isCallExpression(node.initializer) &&
  /^(action|rest|restAt|internal)$/.test(node.initializer.expression.getText());

class CallGraph {
  units = new Map();
  unitNames = new Set();
  fieldNames = new Set();
  fields = new Set();
  holders = new Map();
  handlers = [];
  overriders = new Map();

  constructor(program) {
    this.checker = program.getTypeChecker();
    const sources = program.getSourceFiles().filter(isFollowed);
    for (const source of sources) this.collectNames(source);
    for (const source of sources) this.collectClasses(source);
  }

  /** Which names units and fields have: resolving all the others would take most of the time, and lead nowhere. */
  collectNames(node) {
    const name = ts.isExportSpecifier(node) || isUnit(node) ? node.name : undefined;
    if (name) this.unitNames.add(nameIn(name));
    if (ts.isPropertyDeclaration(node) && ts.getDecorators(node)) {
      this.fields.add(node);
      this.fieldNames.add(nameIn(node.name));
    }
    ts.forEachChild(node, (child) => this.collectNames(child));
  }

  /** Which methods stand in for those of a base class or interface; which class handles which operation. */
  collectClasses(node) {
    if (ts.isClassDeclaration(node) || ts.isClassExpression(node)) {
      for (const { types } of node.heritageClauses ?? [])
        for (const each of types) {
          const base = this.checker.getTypeAtLocation(each);
          for (const member of node.members) {
            const inherited = member.name && base.getProperty(member.name.getText());
            for (const declaration of inherited?.declarations ?? [])
              this.overriders.set(declaration, [...(this.overriders.get(declaration) ?? []), member]);
          }
        }
      for (const decorator of ts.getDecorators(node) ?? []) {
        const call = decorator.expression;
        if (!ts.isCallExpression(call) || call.expression.getText() !== 'Handles') continue;
        const handle = node.members.find((member) => member.name?.getText() === 'handle');
        if (handle) this.handlers.push({ operation: call.arguments[0], handle });
      }
    }
    ts.forEachChild(node, (child) => this.collectClasses(child));
  }

  /** Reads a unit when the first handler reaches it; many are reached by none. */
  unitOf(node) {
    const known = this.units.get(node);
    if (known) return known;
    const unit = { uses: new Set(), reads: new Map(), named: new Map(), escapes: new Set() };
    this.units.set(node, unit);
    this.visit(node, unit);
    return unit;
  }

  visit(node, unit) {
    this.note(node, unit);
    ts.forEachChild(node, (child) => {
      if (!isUnit(child) && !ts.isTypeNode(child)) this.visit(child, unit);
    });
  }

  note(node, unit) {
    if (ts.isIdentifier(node)) this.noteUse(node, unit);
    if (ts.isPropertyAccessExpression(node) && !isAssigned(node)) this.noteRead(unit, node.name.text, node.expression);
    if (ts.isElementAccessExpression(node)) {
      if (ts.isStringLiteralLike(node.argumentExpression))
        this.noteRead(unit, node.argumentExpression.text, node.expression);
      else this.noteEscape(unit, node.expression);
    }
    if (ts.isObjectBindingPattern(node)) {
      const type = this.checker.getTypeAtLocation(node);
      for (const element of node.elements) {
        const name = (element.propertyName ?? element.name).getText();
        if (element.dotDotDotToken) this.noteEscapeOf(unit, type);
        else this.noteReadOf(unit, name, type);
      }
    }
    if (ts.isForInStatement(node) || ts.isAsExpression(node)) this.noteEscape(unit, node.expression);
    if (ts.isSpreadAssignment(node)) {
      const target = this.checker.getContextualType(node.parent);
      if (target && isOpaque(target)) this.noteEscape(unit, node.expression);
    }
    if (ts.isNewExpression(node)) {
      const declaration = this.checker.getTypeAtLocation(node).symbol?.valueDeclaration;
      for (const member of declaration?.members ?? [])
        if (ts.isConstructorDeclaration(member) || ts.isPropertyDeclaration(member)) unit.uses.add(member);
    }
    if (
      ts.isExpression(node) &&
      this.isPassedOn(node) &&
      this.escaping(this.checker.getTypeAtLocation(node)).length > 0
    ) {
      const target = this.checker.getContextualType(node);
      if (!target || isOpaque(target)) this.noteEscape(unit, node);
    }
  }

  /** An expression whose value goes into a call, an object or a result as it is. */
  isPassedOn(node) {
    const { parent } = node;
    return (
      (ts.isIdentifier(node) || ts.isPropertyAccessExpression(node)) &&
      ((ts.isCallExpression(parent) && parent.expression !== node) ||
        (ts.isNewExpression(parent) && parent.expression !== node) ||
        (ts.isPropertyAssignment(parent) && parent.initializer === node) ||
        (ts.isShorthandPropertyAssignment(parent) && parent.name === node) ||
        ts.isArrayLiteralExpression(parent) ||
        ts.isReturnStatement(parent) ||
        ts.isSpreadElement(parent))
    );
  }

  noteUse(node, unit) {
    // A plain name may be an alias of an import; that of a member is the name of what it leads to.
    if (isMemberName(node) && !this.unitNames.has(node.text)) return;
    let symbol = this.checker.getSymbolAtLocation(node);
    if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = this.checker.getAliasedSymbol(symbol);
    if (symbol && ts.isShorthandPropertyAssignment(node.parent))
      symbol = this.checker.getShorthandAssignmentValueSymbol(node.parent) ?? symbol;
    for (const declaration of symbol?.declarations ?? []) {
      if (isUnit(declaration)) unit.uses.add(declaration);
      for (const member of this.overriders.get(declaration) ?? []) unit.uses.add(member);
    }
  }

  noteRead(unit, name, expression) {
    if (!this.fieldNames.has(name)) return;
    this.noteReadOf(unit, name, this.checker.getTypeAtLocation(expression));
  }

  noteReadOf(unit, name, type) {
    if (!this.fieldNames.has(name)) return;
    const property = this.checker.getPropertyOfType(this.checker.getNonNullableType(type), name);
    for (const declaration of property?.declarations ?? []) {
      unit.reads.set(declaration, true);
      if (!isModelFile(declaration.getSourceFile().fileName) || !ts.isClassDeclaration(declaration.parent))
        unit.named.set(name, [...(unit.named.get(name) ?? []), this.checker.getNonNullableType(type)]);
    }
  }

  noteEscape(unit, expression) {
    this.noteEscapeOf(unit, this.checker.getTypeAtLocation(expression));
  }

  noteEscapeOf(unit, type) {
    for (const each of this.escaping(type)) unit.escapes.add(each);
  }

  /** The type itself and that of the elements of a list, if they have fields that may be read where it goes. */
  escaping(type) {
    let found = this.holders.get(type);
    if (!found) {
      const plain = this.checker.getNonNullableType(type);
      const element = this.checker.getIndexTypeOfType(plain, ts.IndexKind.Number);
      const types = element ? [plain, this.checker.getNonNullableType(element)] : [plain];
      found = types.filter((each) =>
        each
          .getProperties()
          .some(
            ({ name, declarations }) => this.fieldNames.has(name) && declarations?.some((one) => this.fields.has(one)),
          ),
      );
      this.holders.set(type, found);
    }
    return found;
  }

  /** Every unit that runs because of one. */
  reachOf(first) {
    const seen = new Set();
    const open = [first];
    while (open.length > 0) {
      const node = open.pop();
      if (seen.has(node) || !isFollowed(node.getSourceFile())) continue;
      seen.add(node);
      open.push(...this.unitOf(node).uses);
      const handler = isOperation(node) && this.handlerOf(node);
      if (handler) open.push(handler);
    }
    return [...seen].map((node) => this.unitOf(node));
  }

  handlerOf(declaration) {
    this.byOperation ??= new Map(
      this.handlers.map(({ operation, handle }) => [
        this.checker.getSymbolAtLocation(operation.name ?? operation)?.declarations?.[0],
        handle,
      ]),
    );
    return this.byOperation.get(declaration);
  }

  /** Lists inputs that the operation of a handler declares and no code reads. */
  unreadBy({ operation, handle }) {
    const type = this.checker.getTypeAtLocation(operation);
    const name = this.nameOf(operation);
    const [auth, query, body] = type.aliasTypeArguments ?? this.checker.getTypeArguments(type);
    // Calls between services say what they like, except for those that pass on what clients of the folder tree ask for.
    if (!query || (auth.value === 'internal' && !name.startsWith(FOLDER_OWNER))) return [];
    const reach = this.reachOf(handle);
    return [
      ...this.unread(query, reach, '', new Set()),
      ...(body ? this.unread(body, reach, 'body.', new Set()) : []),
    ].map((field) => ({ operation: name, field }));
  }

  unread(model, reach, prefix, seen) {
    const type = this.elementOf(model);
    if (seen.has(type)) return [];
    seen.add(type);
    return type.getProperties().flatMap((property) => {
      const declaration = property.valueDeclaration;
      if (!declaration || !ts.isPropertyDeclaration(declaration)) return [];
      const field = fieldCall(declaration, this.checker);
      if (!field || /\breadOnly: true\b/.test(field.getText())) return [];
      const wireName = /\bname: '([^']+)'/.exec(field.getText())?.[1] ?? property.name;
      if (!this.isRead(property.name, declaration, type, reach)) return [`${prefix}${wireName}`];
      const inner = this.elementOf(this.checker.getTypeOfSymbol(property));
      return inner.symbol && isModelFile(inner.symbol.valueDeclaration?.getSourceFile().fileName ?? '')
        ? this.unread(inner, reach, `${prefix}${wireName}.`, seen)
        : [];
    });
  }

  /** The object type itself, or that of the elements of a list. */
  elementOf(type) {
    const plain = this.checker.getNonNullableType(type);
    return this.checker.getNonNullableType(this.checker.getIndexTypeOfType(plain, ts.IndexKind.Number) ?? plain);
  }

  isRead(name, declaration, type, reach) {
    // A field that a model declares anew is read where that of its base is.
    const same = new Set([declaration, ...this.inherited(type, name)]);
    const has = (escaped) => escaped.getProperty(name)?.declarations?.some((each) => same.has(each));
    return reach.some(
      ({ reads, named, escapes }) =>
        [...same].some((each) => reads.has(each)) ||
        (named.get(name) ?? []).some((reader) => this.mayHold(reader, type)) ||
        [...escapes].some(has),
    );
  }

  inherited(type, name) {
    const bases = type.isClassOrInterface() ? this.checker.getBaseTypes(type) : [];
    return bases.flatMap((base) => [...(base.getProperty(name)?.declarations ?? []), ...this.inherited(base, name)]);
  }

  /** Whether a structural type may hold an object of a model: alone, or with a few fields more. */
  mayHold(reader, model) {
    if (this.checker.isTypeAssignableTo(model, reader)) return true;
    const properties = reader.getProperties();
    const added = properties.filter(({ name }) => !model.getProperty(name));
    return added.length <= MAX_ADDED && added.length < properties.length / 2;
  }

  nameOf(operation) {
    const declaration = this.checker.getSymbolAtLocation(operation.name ?? operation)?.declarations?.[0];
    const call =
      declaration &&
      ts.findAncestor(declaration, (node) => ts.isCallExpression(node) && node.expression.getText() === 'defineModule');
    const module = call?.arguments[0];
    return `${module && ts.isStringLiteral(module) ? module.text : operation.expression.getText()}.${operation.name?.getText()}`;
  }
}

/** Most fields that code adds to the parameters before it hands them on. */
const MAX_ADDED = 2;

/** A name as symbols have it, without quotes. */
const nameIn = (name) => name.text ?? name.getText();

/** The name after a dot, or before a colon. */
const isMemberName = (node) => {
  const { parent } = node;
  return (ts.isPropertyAccessExpression(parent) || ts.isPropertyAssignment(parent)) && parent.name === node;
};

const isAssigned = (node) =>
  ts.isBinaryExpression(node.parent) &&
  node.parent.left === node &&
  node.parent.operatorToken.kind === ts.SyntaxKind.EqualsToken;

/** A type that says nothing about the fields of what it takes. */
const isOpaque = (type) =>
  Boolean(type.flags & (ts.TypeFlags.AnyOrUnknown | ts.TypeFlags.TypeParameter | ts.TypeFlags.NonPrimitive)) ||
  Boolean(type.getStringIndexType()) ||
  (type.isUnion?.() && type.types.some(isOpaque)) ||
  false;

/** The call of `Field` that declares a field: a decorator itself, or the constant that it names. */
const fieldCall = (declaration, checker) =>
  (ts.getDecorators(declaration) ?? [])
    .map(({ expression }) => (ts.isIdentifier(expression) ? valueOf(expression, checker) : expression))
    .find((each) => each && ts.isCallExpression(each) && /^Field\.(?!contextId)/.test(each.expression.getText()));

function valueOf(name, checker) {
  let symbol = checker.getSymbolAtLocation(name);
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  return symbol?.valueDeclaration?.initializer;
}
