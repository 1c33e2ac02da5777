// One address as SMTP takes it without quoting: a dot atom, a domain with at least two labels.
const LOCAL = /^[^\s\p{C}"(),:;<>@[\\\]]{1,64}$/u;
const DOMAIN =
  /^(?=.{3,253}$)([\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}][\p{L}\p{N}-]{0,61}[\p{L}\p{N}]$/u;

/** True for a mail address that a mail can be sent to. */
export function isMailAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at < 1) return false;
  const local = text.slice(0, at);
  return LOCAL.test(local) && !/^\.|\.\.|\.$/.test(local) && DOMAIN.test(text.slice(at + 1));
}
