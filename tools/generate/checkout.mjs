import fs from 'node:fs';
import path from 'node:path';
import prettier from 'prettier';

/** Reason that stops a generator: told to the person, without a stack. */
export class Refusal extends Error {}

/** The files of a checkout with the changes of a generator, which are written together or not at all. */
export class Checkout {
  #changes = new Map();
  #links = new Map();

  /** @param {string} root */
  constructor(root) {
    this.root = root;
  }

  has(file) {
    return this.#changes.has(file) || fs.existsSync(path.join(this.root, file));
  }

  read(file) {
    return this.#changes.get(file) ?? fs.readFileSync(path.join(this.root, file), 'utf8');
  }

  /** Names in a folder; none when it is no folder. */
  names(folder) {
    const full = path.join(this.root, folder);
    return fs.statSync(full, { throwIfNoEntry: false })?.isDirectory() ? fs.readdirSync(full).sort() : [];
  }

  /** A new file; refused when it is there already. */
  create(file, text) {
    if (this.has(file)) throw new Refusal(`${file} is there already`);
    this.#changes.set(file, text);
  }

  /** Changes a file. */
  edit(file, change) {
    this.#changes.set(file, change(this.read(file)));
  }

  editJson(file, change) {
    this.edit(file, (text) => {
      const value = JSON.parse(text);
      change(value);
      return `${JSON.stringify(value, undefined, 2)}\n`;
    });
  }

  /** A symbolic link, as `npm install` makes for a package of the workspace. */
  link(from, to) {
    this.#links.set(from, to);
  }

  /** Formats and writes everything; returns the files written. */
  async write() {
    const texts = new Map();
    for (const [file, text] of this.#changes) texts.set(file, await this.#formatted(file, text));
    for (const [file, text] of texts) {
      fs.mkdirSync(path.dirname(path.join(this.root, file)), { recursive: true });
      fs.writeFileSync(path.join(this.root, file), text);
    }
    for (const [from, to] of this.#links) {
      const place = path.join(this.root, from);
      fs.mkdirSync(path.dirname(place), { recursive: true });
      if (!fs.existsSync(place))
        fs.symlinkSync(path.relative(path.dirname(place), path.join(this.root, to)), place, 'junction');
    }
    return [...texts.keys()];
  }

  async #formatted(file, text) {
    const full = path.join(this.root, file);
    const { inferredParser } = await prettier.getFileInfo(full);
    if (!inferredParser || path.basename(file) === 'package-lock.json') return text;
    return prettier.format(text, { ...(await prettier.resolveConfig(full)), filepath: full });
  }
}
