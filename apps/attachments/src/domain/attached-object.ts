/** An object that carries attachments, as a user sees it. */
export interface AttachedObject {
  /** 1 appointment, 4 task, 7 contact, 137 infostore. */
  readonly module: number;
  readonly attached: number;
  readonly folder: number;
}
