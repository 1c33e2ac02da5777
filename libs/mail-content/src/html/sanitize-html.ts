import sanitize from 'sanitize-html';
import { isAllowedAttribute } from './attributes';
import { sanitizeStyleAttribute, sanitizeStyleSheet } from './css';
import { MailNames } from './names';
import { decodeCid, hasSession, parseImageUrl, parseLinkUrl, toCidUrl } from './url';

/** Elements that a mail may have. Others lose their tags and keep their content. */
const TAGS =
  `a abbr acronym address area b basefont bdo big blockquote br caption center cite code col colgroup dd del dfn dir div dl
  dt em font h1 h2 h3 h4 h5 h6 hr i img ins kbd li map ol p pre q s samp small span strike strong sub sup table tbody td tfoot th
  thead tr tt u ul var style`.split(/\s+/);
/** Elements that go with all they hold: they run, load, draw, or are read by other rules than HTML's. */
const TAGS_WITH_CONTENT =
  `applet audio canvas embed frame frameset iframe link math meta noembed noframes noscript object
  option param picture plaintext script select source style svg template textarea title track video xml xmp`.split(
    /\s+/,
  );
/** Elements deeper than this lose their tags: browsers stop at 512, and the page around the mail needs some. */
const MAX_DEPTH = 250;
/** The type of a document, with the space around it, which would become text. */
const DOCTYPE = /^\s*<!doctype[^>]*>\s*/i;
/** Ids and names of anchors, and classes, that are kept; the length is checked besides. */
const NAME = /^[\w.:-]+$/;
const CLASS = /^[\w-]+$/;
/** Names of at most so many style elements of a mail are read. */
const MAX_STYLE_ELEMENTS = 100;

/** How the HTML of a mail is made safe. */
export interface SanitizeOptions {
  /** Pictures of other servers are left out, and told by `hasBlockedImages`. */
  blockImages?: boolean;
  /** The result stands inside another page: no `html` and `body`, names and rules restricted to it. */
  embedded?: boolean;
  /** The result is a piece of a text that users write: it keeps its names, has no page around it and no rules for one. */
  fragment?: boolean;
  /** Links lose their address: the mail lies where malicious mails lie. */
  neutralizeLinks?: boolean;
  /** URL of a part shown in the text, without its Content-ID, which is added encoded. Without it, such pictures are left out. */
  cidUrlPrefix?: string;
  /** Content-IDs of the mail's parts, without brackets; `cid:` URLs of others are left out. */
  cids?: readonly string[];
  /** Addresses that carry a session of this product are left out: the result leaves the server. */
  withoutSessions?: boolean;
  /** URL through which pictures of other servers are fetched, to which theirs is added encoded. Without it, browsers fetch them. */
  imageProxyPrefix?: string;
}

/** HTML that a page of the client can hold. */
export interface SanitizedHtml {
  html: string;
  /** Pictures of other servers were left out. */
  hasBlockedImages: boolean;
  /** Content-IDs of parts that the text shows. */
  shownCids: string[];
}

/** Makes the HTML of a mail safe: what is left runs nothing, sends nothing and stays in its place in the page. */
export function sanitizeMailHtml(html: string, options: SanitizeOptions = {}): SanitizedHtml {
  return new MailHtmlSanitizer(options).sanitize(html);
}

/** Adds HTML to the end of a text that {@link sanitizeMailHtml} made. */
export const appendToMailHtml = (html: string, addition: string): string =>
  html.replace(/(?:<\/div>|<\/body><\/html>)?$/, (end) => addition + end);

/** A page that {@link sanitizeMailHtml} made. */
const PAGE =
  /^<!DOCTYPE html>\n<html><head><meta charset="utf-8">(.*?)<\/head><body((?: [\w-]+="[^"]*")*)>(.*)<\/body><\/html>$/s;

/**
 * One text of several that {@link sanitizeMailHtml} made, or that are HTML without a page: all are in the page of the first. Where
 * that has none, they follow it, so that its rules do not reach them.
 */
export const joinMailHtml = (first: string, ...others: readonly string[]): string => {
  const sections = others.map(toSection).join('');
  return PAGE.test(first) ? appendToMailHtml(first, sections) : first + sections;
};

function toSection(html: string): string {
  const [, style = '', attributes = '', content = html] = PAGE.exec(html) ?? [];
  return `${style}<div${attributes}>${content}</div>`;
}

class MailHtmlSanitizer {
  private hasBlockedImages = false;
  private readonly shownCids = new Set<string>();
  private readonly cids: ReadonlySet<string>;
  private readonly styleSheets: { css: string; media: string }[] = [];
  private readonly styleAttributes = new Map<string, string>();
  private readonly names: MailNames;
  private body: Record<string, string> = {};

  constructor(private readonly options: SanitizeOptions) {
    this.names = new MailNames(options.embedded === true);
    this.cids = new Set(options.cids?.map(decodeCid));
  }

  sanitize(html: string): SanitizedHtml {
    const content = sanitize(html.replace(DOCTYPE, ''), {
      allowedTags: TAGS,
      nonTextTags: TAGS_WITH_CONTENT,
      // Every attribute has passed sanitizeAttributes; schemes are checked by the library once more.
      allowedAttributes: false,
      allowedSchemes: ['http', 'https', 'mailto', 'tel', 'ftp'],
      allowedSchemesByTag: { img: ['http', 'https', 'data', 'cid'] },
      allowProtocolRelative: false,
      parseStyleAttributes: false,
      allowVulnerableTags: true,
      nestingLimit: MAX_DEPTH,
      transformTags: { '*': (tagName, attribs) => ({ tagName, attribs: this.sanitizeAttributes(tagName, attribs) }) },
      // The text of style elements is taken out here and added again as checked rules.
      exclusiveFilter: (frame) => {
        if (frame.tag !== 'style') return false;
        if (this.styleSheets.length < MAX_STYLE_ELEMENTS)
          this.styleSheets.push({ css: frame.text, media: frame.attribs['media'] ?? '' });
        return true;
      },
    });
    return {
      html: this.assemble(content),
      hasBlockedImages: this.hasBlockedImages,
      shownCids: [...this.shownCids],
    };
  }

  private assemble(content: string): string {
    if (this.options.fragment) return toEditorNotation(content);
    const rules = this.styleSheets.map(({ css, media }) => this.styleSheet(css, media)).join('');
    const style = rules ? `<style type="text/css">${rules}</style>` : '';
    const attributes = Object.entries(this.body)
      .map(([name, value]) => ` ${name}="${escapeAttribute(value)}"`)
      .join('');
    if (this.options.embedded) return `<div id="${this.names.rootId}"${attributes}>${style}${content}</div>`;
    return `<!DOCTYPE html>\n<html><head><meta charset="utf-8">${style}</head><body${attributes}>${content}</body></html>`;
  }

  private styleSheet(css: string, media: string): string {
    const rules = sanitizeStyleSheet(css, this.names, (url) => this.resolveImage(url));
    return rules && media ? `@media ${media}{${rules}}` : rules;
  }

  private sanitizeAttributes(tag: string, attributes: Record<string, string>): Record<string, string> {
    if (tag === 'style')
      return /^[\w\s,]{1,100}$/.test(attributes['media'] ?? '') ? { media: attributes['media']! } : {};
    const kept: Record<string, string> = {};
    for (const [name, value] of Object.entries(attributes)) {
      if (!isAllowedAttribute(tag, name, value)) continue;
      const safe = this.sanitizeAttribute(tag, name, value);
      if (safe !== undefined) kept[name] = safe;
    }
    if (kept['href'] !== undefined && !kept['href'].startsWith('#')) {
      kept['target'] = '_blank';
      kept['rel'] = 'noopener noreferrer';
    }
    if (tag === 'body') this.readBody(attributes, kept);
    return kept;
  }

  private sanitizeAttribute(tag: string, name: string, value: string): string | undefined {
    switch (name) {
      case 'style':
        return this.sanitizeStyle(value) || undefined;
      case 'href':
        return this.sanitizeLink(value);
      case 'src':
      case 'background':
        return this.resolveImage(value);
      case 'usemap':
        return /^#[\w-]+$/.test(value) ? this.toReference(value) : undefined;
      case 'id':
      case 'name':
        return NAME.test(value) ? this.names.toWritten(value) : undefined;
      case 'headers':
        return this.toNames(value, NAME);
      case 'class':
        return this.toNames(value, CLASS);
      default:
        return value;
    }
  }

  private sanitizeStyle(style: string): string {
    let safe = this.styleAttributes.get(style);
    if (safe === undefined) {
      safe = sanitizeStyleAttribute(style, (url) => this.resolveImage(url));
      if (this.options.fragment && withoutStyleSpaces(style) === safe) safe = style;
      this.styleAttributes.set(style, safe);
    }
    return safe;
  }

  private sanitizeLink(value: string): string | undefined {
    if (value.startsWith('#') && NAME.test(value.slice(1))) return this.toReference(value);
    const url = this.options.neutralizeLinks ? undefined : parseLinkUrl(value);
    return url !== undefined && this.isAllowedUrl(url) ? url : undefined;
  }

  /** A link to a name within the mail. */
  private toReference(value: string): string | undefined {
    const name = this.names.toWritten(value.slice(1));
    return name === undefined ? undefined : `#${name}`;
  }

  private toNames(value: string, form: RegExp): string | undefined {
    const names = value.split(/\s+/).flatMap((name) => (form.test(name) && this.names.toWritten(name)) || []);
    return names.length > 0 ? names.join(' ') : undefined;
  }

  private resolveImage(raw: string): string | undefined {
    const image = parseImageUrl(raw);
    if (image?.kind === 'data') return image.url;
    if (image?.kind === 'cid') {
      if (this.options.cidUrlPrefix === undefined || !this.cids.has(image.cid)) return undefined;
      this.shownCids.add(image.cid);
      return toCidUrl(this.options.cidUrlPrefix, image.cid);
    }
    if (!image || !this.isAllowedUrl(image.url)) return undefined;
    if (this.options.blockImages) {
      this.hasBlockedImages = true;
      return undefined;
    }
    const { imageProxyPrefix } = this.options;
    return imageProxyPrefix === undefined ? image.url : imageProxyPrefix + encodeURIComponent(image.url);
  }

  private isAllowedUrl(url: string): boolean {
    return this.options.withoutSessions !== true || !hasSession(url);
  }

  /** The look that the mail gave to its page: its body, or the element that stands for it. */
  private readBody(attributes: Record<string, string>, kept: Record<string, string>): void {
    const background = attributes['background'] === undefined ? undefined : this.resolveImage(attributes['background']);
    const style = [
      kept['style'],
      kept['bgcolor'] && /^[#\w]+$/.test(kept['bgcolor']) && `background-color:${kept['bgcolor']}`,
      attributes['text'] !== undefined && /^[#\w]+$/.test(attributes['text']) && `color:${attributes['text']}`,
      background !== undefined && `background-image:url("${background.replace(/["\\()]/g, encodeCharacter)}")`,
    ];
    const text = this.sanitizeBodyStyle(style.filter((part) => typeof part === 'string' && part !== '').join(';'));
    this.body = {
      ...(kept['class'] === undefined ? {} : { class: kept['class'] }),
      ...(kept['dir'] === undefined ? {} : { dir: kept['dir'] }),
      ...(kept['lang'] === undefined ? {} : { lang: kept['lang'] }),
      ...(text ? { style: text } : {}),
    };
  }

  /** Pictures in it are resolved already; what is no declaration any more is left out. */
  private sanitizeBodyStyle(style: string): string {
    return sanitizeStyleAttribute(style, (url) => url);
  }
}

/** HTML of the sanitizer, in which `>` and `/>` end tags only, as editors of browsers write it. */
const toEditorNotation = (html: string): string => html.replaceAll(' />', '>').replaceAll('\u00a0', '&nbsp;');

/** A style attribute without the spaces and the last semicolon that the sanitizer leaves out. */
const withoutStyleSpaces = (style: string): string => style.replace(/([:;,]) +/g, '$1').replace(/;$/, '');

/** A character that would end a string or a URL of CSS, percent-encoded. */
function encodeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function escapeAttribute(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
