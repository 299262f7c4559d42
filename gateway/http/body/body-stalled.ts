/** The client sent nothing of the body of a long request for too long, or all of it too slowly. Answered 408. */
export class BodyStalled extends Error {}
