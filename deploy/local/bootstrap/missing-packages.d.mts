interface LockedPackage {
  version?: string;
  link?: boolean;
  dev?: boolean;
  optional?: boolean;
  devOptional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  engines?: { node?: string };
}
type Packages = Record<string, LockedPackage>;
interface MissingPackage {
  name: string;
  dev: boolean;
  omitted: boolean;
  engine?: string;
}
export function missingPackages(
  locked: Packages,
  installed: Packages,
  needs: 'roster' | 'tests',
): MissingPackage[];
export function hasDevPackages(installed: Packages): boolean;
export function announcement(installed: Packages, missing: MissingPackage[]): string;
