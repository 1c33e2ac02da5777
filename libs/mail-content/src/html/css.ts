import {
  generate,
  parse,
  walk,
  type Block,
  type CssNode,
  type Declaration,
  type DeclarationList,
  type Rule,
  type Selector,
  type SelectorList,
  type StyleSheet,
} from 'css-tree';
import { standsForMail, type MailNames } from './names';

/** Longest style attribute read, characters; longer ones are dropped. */
const MAX_ATTRIBUTE_LENGTH = 16 * 1024;
/** Longest text of one style element read, characters; longer ones are dropped. */
const MAX_STYLESHEET_LENGTH = 256 * 1024;

/**
 * Properties that stay inside the box of their element. Left out: those that take content out of the mail's place in the page
 * (position and its edges, z-index, transform, shadows, outline), those that make text (content) and those that load or run.
 */
const PROPERTIES = new Set(
  `background background-attachment background-clip background-color background-image background-origin background-position
  background-repeat background-size
  border border-bottom border-bottom-color border-bottom-left-radius border-bottom-right-radius border-bottom-style
  border-bottom-width border-collapse border-color border-left border-left-color border-left-style border-left-width border-radius
  border-right border-right-color border-right-style border-right-width border-spacing border-style border-top border-top-color
  border-top-left-radius border-top-right-radius border-top-style border-top-width border-width
  box-sizing caption-side clear color column-count column-gap columns direction display empty-cells float
  font font-family font-size font-stretch font-style font-variant font-weight
  height hyphens letter-spacing line-break line-height list-style list-style-image list-style-position list-style-type
  margin margin-bottom margin-left margin-right margin-top max-height max-width min-height min-width
  opacity orphans overflow overflow-wrap overflow-x overflow-y
  padding padding-bottom padding-left padding-right padding-top page-break-after page-break-before page-break-inside
  quotes table-layout text-align text-decoration text-decoration-color text-decoration-line text-decoration-style text-indent
  text-overflow text-transform unicode-bidi vertical-align visibility white-space widows width word-break word-spacing
  word-wrap`.split(/\s+/),
);
const IMAGE_PROPERTIES = new Set(['background', 'background-image', 'list-style', 'list-style-image']);
const FUNCTIONS = new Set(['rgb', 'rgba', 'hsl', 'hsla', 'calc', 'linear-gradient', 'radial-gradient']);
/** Properties whose negative numbers, or sums that may become negative, move nothing out of the mail. */
const MAY_BE_NEGATIVE = new Set(['background-position', 'background']);
const NO_CALC = /^(?:margin|text-indent|letter-spacing|word-spacing)/;
/** Letters may come so much nearer, px. */
const MAX_NEGATIVE_SPACING_PX = 5;
const PLAIN_NAME = /^-?[a-zA-Z_][\w-]*$/;
const MEDIA_QUERY = /^[\w\s,:().%-]{1,500}$/;
/** Pseudo classes and elements that neither depend on the page around the mail nor make content. */
const PSEUDO_CLASSES = new Set(
  'link visited hover active focus first-child last-child only-child first-of-type last-of-type nth-child nth-last-child nth-of-type not empty'.split(
    ' ',
  ),
);
const PSEUDO_ELEMENTS = new Set(['first-line', 'first-letter']);

/** Decides about the URL of a picture in a style: the URL to write, or undefined when the declaration shall go. */
export type ResolveImage = (url: string) => string | undefined;

/** A style attribute reduced to safe declarations; empty when none is left. */
export function sanitizeStyleAttribute(style: string, resolveImage: ResolveImage): string {
  if (style.length > MAX_ATTRIBUTE_LENGTH) return '';
  const list = parseCss(style, 'declarationList');
  if (list?.type !== 'DeclarationList') return '';
  return sanitizeDeclarations(list, resolveImage);
}

/** A style sheet reduced to safe rules of its own mail; empty when none is left. It can stand in a style element as it is. */
export function sanitizeStyleSheet(css: string, names: MailNames, resolveImage: ResolveImage): string {
  if (css.length > MAX_STYLESHEET_LENGTH) return '';
  const sheet = parseCss(css.replace(/<!--|-->/g, ' '), 'stylesheet');
  if (sheet?.type !== 'StyleSheet') return '';
  // A character that could end the style element is written as an escape.
  return sanitizeRules(sheet, names, resolveImage).replaceAll('<', '\\3c ');
}

function parseCss(css: string, context: 'declarationList' | 'selector' | 'stylesheet'): CssNode | undefined {
  try {
    return parse(css, { context, parseCustomProperty: false });
  } catch {
    return undefined;
  }
}

function sanitizeRules(sheet: StyleSheet | Block, names: MailNames, resolveImage: ResolveImage): string {
  let text = '';
  for (const node of sheet.children) {
    if (node.type === 'Rule') text += sanitizeRule(node, names, resolveImage);
    if (node.type !== 'Atrule' || node.name.toLowerCase() !== 'media' || !node.block || !node.prelude) continue;
    const query = generate(node.prelude);
    if (!MEDIA_QUERY.test(query)) continue;
    let rules = '';
    for (const rule of node.block.children) if (rule.type === 'Rule') rules += sanitizeRule(rule, names, resolveImage);
    if (rules) text += `@media ${query}{${rules}}`;
  }
  return text;
}

function sanitizeRule(rule: Rule, names: MailNames, resolveImage: ResolveImage): string {
  if (rule.prelude.type !== 'SelectorList') return '';
  const selectors = sanitizeSelectors(rule.prelude, names);
  const declarations = selectors.length > 0 ? sanitizeDeclarations(rule.block, resolveImage) : '';
  return declarations ? `${selectors.join(',')}{${declarations}}` : '';
}

function sanitizeSelectors(list: SelectorList, names: MailNames): string[] {
  const selectors: string[] = [];
  for (const selector of list.children) {
    if (selector.type !== 'Selector' || !renameIn(selector, names)) continue;
    if (names.rootId === undefined) selectors.push(generate(selector));
    else {
      keepInnermostMail(selector);
      const restricted = restrictTo(names.rootId, selector, generate(selector));
      if (restricted !== undefined) selectors.push(restricted);
    }
  }
  return selectors;
}

/**
 * Of the quoted mails that a rule is restricted to, one within the other, the innermost is enough: its id is in no other. This bounds
 * the growth of texts that are quoted again and again: with the mail around them, rules name two however deep they are.
 * Mails have their rules before what they quote, so that those of outer mails still give way to those of inner ones.
 */
function keepInnermostMail(selector: Selector): void {
  const nodes = selector.children.toArray();
  let at = 0;
  while (isMailId(nodes[at]) && isDescendant(nodes[at + 1]) && isMailId(nodes[at + 2])) at += 2;
  selector.children.fromArray(nodes.slice(at));
}

const isMailId = (node?: CssNode): boolean => node?.type === 'IdSelector' && standsForMail(node.name);

const isDescendant = (node?: CssNode): boolean => node?.type === 'Combinator' && node.name === ' ';

/** The root of the mail stands for the `html` and `body` that the mail had. Undefined for rules for what is beside these. */
function restrictTo(rootId: string, selector: Selector, text: string): string | undefined {
  const rest = text.replace(/^html(?![\w-])(?:\s*>\s*|\s+)?/i, '').replace(/^body(?![\w-])/i, '');
  const first = selector.children.first;
  const namesRoot = rest !== text && first?.type === 'TypeSelector';
  if (!namesRoot) return `#${rootId} ${text}`;
  const restricted = rest === '' || /^[\s>+~.#:[]/.test(rest) ? `#${rootId}${rest}` : `#${rootId} ${rest}`;
  return staysWithinFirst(restricted) ? restricted : undefined;
}

/** False for selectors that go on beside their first element: for that of a mail, what the page has there. */
function staysWithinFirst(text: string): boolean {
  const selector = parseCss(text, 'selector');
  if (selector?.type !== 'Selector') return false;
  const combinator = selector.children.toArray().find(({ type }) => type === 'Combinator');
  return combinator?.type !== 'Combinator' || combinator.name === ' ' || combinator.name === '>';
}

/** False for selectors with names that need escapes or are not kept, or that begin outside the mail. */
function renameIn(selector: Selector, names: MailNames): boolean {
  if (selector.children.first?.type === 'Combinator') return false;
  let isSafe = true;
  walk(selector, (node: CssNode) => {
    switch (node.type) {
      case 'ClassSelector':
      case 'IdSelector': {
        const written = PLAIN_NAME.test(node.name) ? names.toWritten(node.name) : undefined;
        if (written === undefined) isSafe = false;
        else node.name = written;
        break;
      }
      case 'TypeSelector':
        if (node.name !== '*' && !/^[a-zA-Z][a-zA-Z0-9]*$/.test(node.name)) isSafe = false;
        break;
      case 'PseudoClassSelector':
        if (!PSEUDO_CLASSES.has(node.name.toLowerCase())) isSafe = false;
        break;
      case 'PseudoElementSelector':
        if (!PSEUDO_ELEMENTS.has(node.name.toLowerCase())) isSafe = false;
        break;
      case 'AttributeSelector':
      case 'NestingSelector':
      case 'Raw':
        isSafe = false;
        break;
      default:
    }
  });
  return isSafe;
}

function sanitizeDeclarations(block: Block | DeclarationList, resolveImage: ResolveImage): string {
  const kept: string[] = [];
  for (const node of block.children) {
    if (node.type !== 'Declaration' || !isSafeDeclaration(node, resolveImage)) continue;
    kept.push(`${node.property.toLowerCase()}:${generate(node.value)}${node.important ? '!important' : ''}`);
  }
  return kept.join(';');
}

function isSafeDeclaration(declaration: Declaration, resolveImage: ResolveImage): boolean {
  const property = declaration.property.toLowerCase();
  if (!PROPERTIES.has(property) || declaration.value.type !== 'Value') return false;
  let isSafe = true;
  walk(declaration.value, (node: CssNode) => {
    if (isSafe && !isSafeValue(node, property, resolveImage)) isSafe = false;
  });
  return isSafe;
}

function isSafeValue(node: CssNode, property: string, resolveImage: ResolveImage): boolean {
  switch (node.type) {
    case 'Value':
    case 'Hash':
    case 'Operator':
    case 'Parentheses':
    case 'WhiteSpace':
      return true;
    case 'String':
      return node.value.length <= 200;
    case 'Identifier':
      // Escapes hide names; the colour inversion and the like are no values of these properties.
      return PLAIN_NAME.test(node.name);
    case 'Function':
      return FUNCTIONS.has(node.name.toLowerCase()) && !(node.name.toLowerCase() === 'calc' && NO_CALC.test(property));
    case 'Number':
    case 'Percentage':
      return !node.value.startsWith('-') || MAY_BE_NEGATIVE.has(property);
    case 'Dimension':
      return !node.value.startsWith('-') || MAY_BE_NEGATIVE.has(property) || isNearer(node.value, node.unit, property);
    case 'Url': {
      if (!IMAGE_PROPERTIES.has(property)) return false;
      const url = resolveImage(node.value);
      if (url === undefined) return false;
      node.value = url;
      return true;
    }
    default:
      return false;
  }
}

function isNearer(value: string, unit: string, property: string): boolean {
  return property === 'letter-spacing' && unit.toLowerCase() === 'px' && Number(value) >= -MAX_NEGATIVE_SPACING_PX;
}
