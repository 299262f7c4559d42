/** As many connections to the address are open as may be: the attempt was not made. */
export class AddressBusy extends Error {
  override readonly name = 'AddressBusy';
  readonly address: string;

  constructor(address: string) {
    super(`too many connections to ${address}`);
    this.address = address;
  }
}
