// SPDX-License-Identifier: MIT
// concord compare with a config that is wrong.
#include "comparing.hpp"

namespace cli::compare_refusals_test {
using namespace comparing;

TEST_CASE("what is wrong in a comparison is said before anything runs") {
  const auto refused = [](const std::string& text, const std::string& sentence, int code = 2) {
    const std::string file = config("refused.toml", text);
    const Ran ran = concord({"compare", file, "--out", folder("refused-out")});
    INFO(text << "\n" << ran.err);
    CHECK(ran.exit_code == code);
    CHECK_THAT(ran.err, Contains(sentence));
    CHECK_FALSE(fs::exists(folder("refused-out") + "/cells"));
  };
  refused("", "there are datasets and no [method.NAME]");
  refused("[method.a]\ntrain.decodr = \"modular\"\n", "did you mean decoder?");
  refused("[methd.a]\ntrain.decoder = \"modular\"\n", "did you mean method?");
  refused("[method.a]\nlike = \"b\"\n", "there is no method 'b' above this one");
  refused("[method.a]\ntrain.decoder = \"modular\"\n[compare]\nbaseline = \"b\"\n", "there is no method 'b'");
  refused("[method.a]\ntrain.decoder = { name = \"spectral\", tool = 1 }\n", "tool");
  refused("[method.a]\ntrain.prior = \"any\"\naxes.train.prior = [\"any\"]\n", "both set and an axis");
  refused("[method.a]\naxes.train.prior = \"any\"\n", "expected a list of values");
  refused("[method.a]\ndatasets = [\"plantd\"]\n", "there is no dataset 'plantd'; did you mean planted?");
  refused("[method.\"a b\"]\n[method.a-b]\n", "would both go to the folder");
  refused("[method.a]\n[compare]\nmetric = \"f1\"\n", "metric");
  refused("[method.a]\n[compare]\nmetric = \"lrap\"\n", "lrap is a metric of rankings");
  refused("[method.a]\n[compare]\nmetric = \"loss/f-bta\"\n",
          "there is no loss 'f-bta'; did you mean f-beta?");
  refused("[method.a]\n[compare]\nmetric = { name = \"loss/f-beta\", bta = 2 }\n", "did you mean beta?");
  refused("[method.a]\n[compare]\nreveal = [0.5, 1]\n", "found 1; expected shares of the labels");
  refused("[method.a]\n[compare]\nseconds = 0\n", "found 0; expected");
  refused("[method.a]\n[problems.p]\nfiles = \"nothing/*.mc\"\n[solver.s]\ndecoder = \"exact\"\n",
          "no file matches");
  refused("[method.a]\n[problems.p]\ncell = \"planted/b\"\n[solver.s]\ndecoder = \"exact\"\n",
          "there is no cell");
  refused(
      "[method.a]\n[problems.p]\ncell = \"planted/a\"\nrows = \"0-5000\"\n[solver.s]\ndecoder = \"exact\"\n",
      "[problems.p] rows 0-5000: there is no row 5000");
  refused("[method.a]\n[reference.values]\nb = { planted = 0.3 }\n", "there is no method 'b'");
  refused("[method.a]\n[dataset.other]\ntraining = \"none.arff\"\ntest = \"none.arff\"\n", "there is no file",
          4);
  refused("[method.a]\ndata.train = \"x\"\n", "has no key 'data'");
  // All at once.
  const Ran both =
      concord({"compare", config("two.toml", "[method.a]\nlike = \"b\"\n[compare]\nseconds = -1\n"), "--out",
               folder("refused-out")});
  CHECK_THAT(both.err, Contains("no method 'b'") && Contains("seconds"));
  const std::string good = config("good.toml", kMethods);
  CHECK_THAT(concord({"compare", good}).err, Contains("--out is missing"));
  CHECK_THAT(concord({"compare", good, "--out", folder("x"), "--shard", "3/2"}).err, Contains("--shard 3"));
  CHECK_THAT(concord({"compare", good, "--out", folder("x"), "--jobs", "0"}).err, Contains("--jobs 0"));
}

TEST_CASE("a misspelt plugin of a comparison is refused before data are read, by every shard") {
  // Data that cannot be read would be said first if they were.
  const std::string broken = scratch_file("broken.arff", "no data\n");
  const auto slip = [&](const std::string& text, const std::string& sentence, const std::string& at,
                        int code = 3) {
    const std::string file =
        scratch_file("slip.toml",
                     "[dataset.d]\ntraining = \"broken.arff\"\ntest = \"broken.arff\"\n[method.ok]\n"
                     "train.decoder = \"modular\"\n" +
                         text);
    for (const char* shard : {"1/1", "1/9", "9/9"}) {
      const Ran ran = concord({"compare", file, "--out", folder("slip-out"), "--shard", shard});
      INFO(text << "\n" << ran.err);
      CHECK(ran.exit_code == code);
      CHECK_THAT(ran.err, Contains("slip.toml:" + at) && Contains(sentence) && !Contains("broken.arff"));
      CHECK_FALSE(fs::exists(folder("slip-out") + "/cells"));
    }
  };
  slip("[method.a]\ntrain.decoder = \"spectal\"\n",
       "train.decoder: there is no decoder 'spectal'; did you mean spectral?", "7:");
  slip("[method.a]\ntrain.decoder = [\"exact\", { name = \"decoder/spectal\", prune = false }]\n",
       "there is no decoder 'spectal'; did you mean spectral?", "7:");
  slip("[method.a]\ntrain.loss = \"haming\"\n",
       "train.loss: there is no loss 'haming'; did you mean hamming?", "7:");
  slip("[method.a]\npredict.decoder = \"spectral-tigth\"\n", "did you mean spectral-tight?", "7:");
  slip("[method.a]\npredict.rounding = \"sign+local-serach\"\n",
       "predict.rounding: there is no rounding 'local-serach'; did you mean local-search?", "7:");
  slip("[method.a]\naxes.train.decoder = [\"exact\", \"spectarl\"]\n", "did you mean spectral?", "7:");
  slip("[method.a]\ntrain.decoder = \"hamming\"\n", "loss/hamming is a loss", "7:");
  slip("[method.a]\nselect.metric = \"loss/haming\"\n", "did you mean hamming?", "7:", 2);
  slip("[problems.p]\ncell = \"d/ok\"\n[solver.s]\ndecoder = \"exat\"\nrounding = \"sing\"\n",
       "there is no decoder 'exat'; did you mean exact?", "9:");
  slip("[problems.p]\ncell = \"d/ok\"\n[solver.s]\ndecoder = \"exact\"\nrounding = \"sing\"\n",
       "there is no rounding 'sing'; did you mean sign?", "10:");
  // All at once.
  slip("[method.a]\ntrain.decoder = \"spectal\"\n[method.b]\ntrain.loss = \"haming\"\n",
       "did you mean spectral?", "9:");
}

}  // namespace cli::compare_refusals_test
