/** Id of the contact of a user: an even number, while contacts that users store have odd ones. */
export const contactIdOfUser = (userId: number): number => 2 * userId;
