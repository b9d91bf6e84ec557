# The recipe for Homebrew on macOS and Linux. `make dist` fills in the place and the hash of the tarball:
#   make dist && brew tap-new local/mbf && cp build/dist/mbf-filters.rb "$(brew --repository local/mbf)/Formula/"
#   brew install local/mbf/mbf-filters
class MbfFilters < Formula
  desc "Many-body filters for molecular dynamics"
  url "file://@DIST@/mbf-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license "MIT"

  depends_on "mandoc" => :build
  depends_on "pkgconf" => :build
  depends_on "xxhash" => :build
  depends_on "fftw"
  depends_on "hdf5"
  depends_on "isa-l"
  uses_from_macos "zlib"

  # as in the packages for Debian, because ImageMagick also has a command compare
  def install
    system "make", "CUDA=0", "all"
    system "make", "CUDA=0", "PREFIX=#{prefix}", "PROGRAM_PREFIX=mbf-", "install"
  end

  test do
    system bin/"mbf-traj2bin", "--version"
  end
end
