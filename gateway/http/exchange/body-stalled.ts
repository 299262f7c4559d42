/** The client sent nothing of the body of a long request for too long. Answered 408. */
export class BodyStalled extends Error {}
