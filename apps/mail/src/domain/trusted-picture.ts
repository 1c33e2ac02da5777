/** Finds the bytes of a picture among those that `com.example.mail.authenticity.trusted.pictures` names. */
export function findTrustedPicture(text: string, name: string): Buffer | undefined {
  for (const entry of text.split(/\s+/)) {
    const content = /^([^=]+)=data:image\/[\w.+-]+;base64,([\w+/]+=*)$/.exec(entry);
    if (content?.[1] === name) return Buffer.from(content[2]!, 'base64');
  }
  return undefined;
}
