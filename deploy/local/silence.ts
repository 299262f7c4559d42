const ignore = () => {};

/** The log of a connection whose errors are reported to the caller as errors. */
export const silence = { debug: ignore, warn: ignore, error: ignore };
