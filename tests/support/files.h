// A folder of files that goes away with the test.
#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace pgc::test {

class Files {
 public:
  Files() { std::filesystem::create_directories(folder_); }
  ~Files() { std::filesystem::remove_all(folder_); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  // Makes the folders on the way as well; returns the file's path.
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
    return path(name);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string folder() const { return folder_.string(); }

 private:
  // Apart from those of other tests and other processes.
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                  ("pgc-test-" + std::to_string(std::random_device{}()));
};

}  // namespace pgc::test
