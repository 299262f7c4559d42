interface LockedPackage {
  version?: string;
  link?: boolean;
  dev?: boolean;
  optional?: boolean;
  devOptional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
}
type Packages = Record<string, LockedPackage>;
export function missingPackages(
  asked: Packages,
  there: Packages,
  needs: 'roster' | 'tests',
): string[];
export function hasDevPackages(there: Packages): boolean;
