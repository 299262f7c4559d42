/** The client closed the connection before its request was complete, or while it was queued: no response is sent. */
export class ClientGone extends Error {}
