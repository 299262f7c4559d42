/** The maximum number of connections to the address is open: the attempt was not made. */
export class AddressBusy extends Error {
  override readonly name = 'AddressBusy';
  readonly address: string;

  constructor(address: string) {
    super(`too many connections to ${address}`);
    this.address = address;
  }
}
