/** Attributes that change how an element looks, by tag; `*` holds those of every element. Their values are checked below. */
const ATTRIBUTES: Record<string, readonly string[]> = {
  '*': ['align', 'bgcolor', 'class', 'dir', 'id', 'lang', 'style', 'title', 'valign', 'width', 'height'],
  a: ['href', 'name', 'shape', 'coords'],
  area: ['href', 'shape', 'coords', 'alt'],
  basefont: ['color', 'face', 'size'],
  blockquote: ['type'],
  br: ['clear'],
  col: ['span', 'char', 'charoff'],
  colgroup: ['span', 'char', 'charoff'],
  dir: ['compact'],
  dl: ['compact'],
  del: ['datetime'],
  font: ['color', 'face', 'size'],
  hr: ['color', 'noshade', 'size'],
  img: ['src', 'alt', 'border', 'hspace', 'vspace', 'usemap'],
  ins: ['datetime'],
  li: ['type', 'value'],
  map: ['name'],
  ol: ['compact', 'start', 'type'],
  table: ['background', 'border', 'bordercolor', 'cellpadding', 'cellspacing', 'frame', 'rules', 'summary'],
  tbody: ['char', 'charoff'],
  td: [
    'abbr',
    'axis',
    'background',
    'bordercolor',
    'char',
    'charoff',
    'colspan',
    'headers',
    'nowrap',
    'rowspan',
    'scope',
  ],
  tfoot: ['char', 'charoff'],
  th: [
    'abbr',
    'axis',
    'background',
    'bordercolor',
    'char',
    'charoff',
    'colspan',
    'headers',
    'nowrap',
    'rowspan',
    'scope',
  ],
  thead: ['char', 'charoff'],
  tr: ['background', 'bordercolor', 'char', 'charoff'],
  ul: ['compact', 'type'],
};
const BY_TAG = new Map(Object.entries(ATTRIBUTES).map(([tag, names]) => [tag, new Set(names)]));
const COMMON = new Set(ATTRIBUTES['*']);

const NUMBER = /^\+?\d{1,5}(?:\.\d+)?\s*(?:%|px|\*)?$/;
const WORD = /^[\w -]{1,50}$/;
const COLOR = /^#?[\w ,().%-]{1,50}$/;
const TEXT = /^[^\0]{0,2000}$/s;

/** Values that an attribute may have; without an entry: any text of moderate length. */
const VALUES: Record<string, RegExp> = {
  align: WORD,
  bgcolor: COLOR,
  border: NUMBER,
  bordercolor: COLOR,
  cellpadding: NUMBER,
  cellspacing: NUMBER,
  char: /^.$/u,
  charoff: NUMBER,
  clear: WORD,
  color: COLOR,
  colspan: /^\d{1,3}$/,
  coords: /^[\d\s,.%]{1,500}$/,
  dir: /^(?:ltr|rtl|auto)$/i,
  face: /^[\w\s,'"-]{1,200}$/,
  frame: WORD,
  height: NUMBER,
  hspace: /^\d{1,3}$/,
  lang: /^[\w-]{1,35}$/,
  rowspan: /^\d{1,4}$/,
  rules: WORD,
  scope: WORD,
  shape: WORD,
  size: /^[+-]?\d{1,3}$/,
  span: /^\d{1,3}$/,
  start: /^-?\d{1,6}$/,
  type: WORD,
  valign: WORD,
  value: /^-?\d{1,6}$/,
  vspace: /^\d{1,3}$/,
  width: NUMBER,
};

/** True when an element may have an attribute with this value; URLs, styles and names are checked besides. */
export function isAllowedAttribute(tag: string, name: string, value: string): boolean {
  if (!COMMON.has(name) && BY_TAG.get(tag)?.has(name) !== true) return false;
  if (name === 'style' || name === 'src' || name === 'href' || name === 'background') return true;
  return (Object.hasOwn(VALUES, name) ? VALUES[name] : TEXT)?.test(value.trim()) === true;
}
