/** Counts the requests of each delivery. */
export class ModelReceiver {
  readonly hits = new Map<string, number>();

  hit(id: string): void {
    this.hits.set(id, (this.hits.get(id) ?? 0) + 1);
  }
}
