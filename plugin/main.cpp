#include "plugin/cli.h"

int main(int argc, char** argv) {
  return pgc::plugin::run({argv + 1, argv + argc}, pgc::plugin::system_process());
}
