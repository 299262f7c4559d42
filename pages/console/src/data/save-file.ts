/** Hands a file to the downloads of the browser, which does not leave the page. */
export function download(url: string, name: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
}

export function downloadBlob(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  download(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
